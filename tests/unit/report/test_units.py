from shrubs.report.units import decimals, memory, significant


def test_a_negative_number_has_a_true_minus():
    assert decimals(-1.5) == "\N{MINUS SIGN}1.500"


def test_zero_has_no_sign():
    assert decimals(-0.0001) == "0.000"


def test_a_negative_exponent_keeps_its_hyphen():
    assert significant(-1.5e-7) == "\N{MINUS SIGN}1.500e-07"


def test_a_kilobyte_has_1024_bytes():
    assert [memory(1023), memory(1024), memory(1024**2)] == ["1023 B", "1.0 KB", "1.00 MB"]
