"""What the shapes say of themselves."""

from shrubs.protocols import Feature, Schema


def test_a_schema_is_shown_in_a_short_line():
    wide = Schema(tuple(Feature(f"f{i}", nominal=i < 3) for i in range(5000)), ("a", "b"), (7, 9))
    assert repr(wide) == "Schema(n_features=5000, n_nominal=3, n_classes=2, n_drifts=2)"
    assert str(Schema((Feature("a"),), None)) == "Schema(n_features=1, classes=None)"
