"""The tables of a learner as plain dictionaries."""


class PlainTables:
    """Names, categories by feature and labels, each under the index at which it came."""

    def __init__(self):
        self.names, self.labels, self.categories = {}, {}, []

    def add_feature(self, name, texts):
        """One feature more; its categories have names or not."""
        self.names[name] = len(self.names)
        self.categories.append({} if texts else None)

    def add_category(self, column, value):
        """One category more, if it is new."""
        self.categories[column].setdefault(value, len(self.categories[column]))

    def add_label(self, label):
        """The class of a label, new or not."""
        return self.labels.setdefault(label, len(self.labels))

    def as_lists(self):
        """All of it in order."""
        categories = [None if known is None else list(known) for known in self.categories]
        return list(self.names), categories, list(self.labels)
