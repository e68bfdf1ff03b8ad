"""What MOA needs to know about a stream before its first example."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shrubs.adapters.moa_jvm import java_class
from shrubs.messages import shown
from shrubs.protocols import Feature, Schema

__all__ = ["make_header"]


def make_header(schema: Schema) -> Any:
    """The features, then the class or the target, as MOA's ``InstancesHeader``."""
    attributes = java_class("java.util.ArrayList")()
    for feature in schema.features:
        attributes.add(_attribute(feature))
    if schema.classes is None:
        attributes.add(java_class("com.yahoo.labs.samoa.instances.Attribute")("target"))
    else:
        attributes.add(_nominal("class", map(str, schema.classes)))
    examples = java_class("com.yahoo.labs.samoa.instances.Instances")("stream", attributes, 0)
    examples.setClassIndex(schema.n_features)
    return java_class("com.yahoo.labs.samoa.instances.InstancesHeader")(examples)


def _attribute(feature: Feature) -> Any:
    if feature.indicator:  # as in the paper's runs; a number would get a normal distribution
        return _nominal(feature.name, ("0", "1"))
    if not feature.nominal:
        return java_class("com.yahoo.labs.samoa.instances.Attribute")(feature.name)
    if not feature.categories:
        raise ValueError(f"MOA needs the categories of nominal feature {shown(feature.name)}")
    return _nominal(feature.name, feature.categories)


def _nominal(name: str, categories: Iterable[str]) -> Any:
    values = java_class("java.util.ArrayList")()
    for category in categories:
        values.add(category)
    return java_class("com.yahoo.labs.samoa.instances.Attribute")(name, values)
