"""The tables of a learner as plain dictionaries."""

_LONGEST_KEY = 128
MAX_WAITING = 37
_FIRST_UNNAMED = 2**23


def digest(text):
    """A number that follows from a text alone (FNV-1a)."""
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) % 2**64
    return h ^ (h >> 29)


class BoundedTables:
    """Tables of texts, with room for so many bytes of names and of categories."""

    def __init__(self, name_bytes, category_bytes, *, is_for_few=False):
        self._name_bytes, self._category_bytes = name_bytes, category_bytes
        self._beside = 17 if is_for_few else 29
        self.names, self.labels, self.categories, self.closed = [], [], [], []
        self.ever_new = []
        self.waiting = []
        self.once = set()  # labels

    def cost(self, text, at_least=0):
        """The most bytes that a text takes, or one of so many bytes."""
        return self._beside + (max(len(text.encode()), at_least) * 5 + 3) // 4

    def add_feature(self, name):
        """One feature more, with categories."""
        self.names.append(name)
        self.categories.append([])
        self.closed.append(False)
        self.ever_new.append(False)

    def has_room_for(self, name, instead_of=None):
        """Whether a name fits, if another one goes."""
        taken = sum(self.cost(other) for i, other in enumerate(self.names) if i != instead_of)
        return taken + self.cost(name, 32) <= self._name_bytes

    def replace_feature(self, column, name):
        """The column becomes that of another feature."""
        self.names[column], self.categories[column] = name, []
        self.closed[column] = self.ever_new[column] = False

    def replace_label(self, index, label):
        """The class becomes another one; the label that it was waits."""
        self._let_wait(("label", self.labels[index]))
        self.once.discard(self.labels[index])
        self.labels[index] = label

    def remove_labels(self, indices):
        """Classes go; the last ones that stay take their numbers. All numbers, -1 for those."""
        for index in indices:
            self._let_wait(("label", self.labels[index]))
        before, n_kept = self.labels, len(self.labels) - len(indices)
        kept = [c for c in range(len(before)) if c not in indices]
        late = [c for c in kept if c >= n_kept]
        places = [c if c in kept else late.pop(0) for c in range(n_kept)]
        self.labels = [before[c] for c in places]
        self.once &= set(self.labels)
        return [places.index(c) if c in places else -1 for c in range(len(before))]

    def has_given_way(self, label):
        """Whether a label waits; it does no longer."""
        return self._let_in(("label", label))

    def code(self, column, text):
        """The code of a category; -1 if it is not known, None if it is as good as missing."""
        if text in self.categories[column]:
            return self.categories[column].index(text)
        if self.closed[column] or len(text.encode()) > _LONGEST_KEY:
            is_passed_over = self.ever_new[column]
            return None if is_passed_over else _FIRST_UNNAMED + digest(text) % _FIRST_UNNAMED
        return -1

    def add_category(self, column, text, n_seen):
        """Keep the text of a category, or none of this feature from now on.

        Where at least sixteen of seventeen examples brought a new one, the others are passed over.
        """
        if self.code(column, text) != -1:
            return
        taken = sum(self.cost(known) for column in self.categories for known in column)
        is_many = len(self.categories[column]) >= self._category_bytes // 96
        n_known = len(self.categories[column])
        is_many = is_many or (n_known == 256 and n_seen <= 257)
        if is_many or taken + self.cost(text) > self._category_bytes:
            self.closed[column] = True
            self.ever_new[column] = n_seen * 16 <= len(self.categories[column]) * 17
        else:
            self.categories[column].append(text)

    def has_waited(self, name):
        """Whether a name came before, not long ago; it waits from now on if not."""
        has_waited = self._let_in(("name", name))
        if not has_waited:
            self._let_wait(("name", name))
        return has_waited

    def _let_wait(self, newest):
        self.waiting = [newest, *self.waiting][:MAX_WAITING]

    def _let_in(self, wanted):
        waits = wanted in self.waiting
        self.waiting = [other for other in self.waiting if other != wanted]
        return waits


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
