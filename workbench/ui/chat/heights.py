"""Heights of thousands of items as prefix sums: where an item begins, and which item is at a place, in logarithmic time (a Fenwick tree)."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """Non-negative whole heights, by index from 0.

    Attributes:
        total: the sum of all.
    """

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self.reset(heights)

    def __len__(self) -> int:
        return len(self._each)

    def __getitem__(self, index: int) -> int:
        return self._each[index]

    def reset(self, heights: Iterable[int]) -> None:
        """Replace all heights, in linear time."""
        self._each = list(heights)
        self.total = sum(self._each)
        self._tree = tree = [0, *self._each]
        for at in range(1, len(tree)):
            above = at + (at & -at)
            if above < len(tree):
                tree[above] += tree[at]

    def __setitem__(self, index: int, height: int) -> None:
        more = height - self._each[index]
        if not more:
            return
        self._each[index] = height
        self.total += more
        at = index + 1
        while at < len(self._tree):
            self._tree[at] += more
            at += at & -at

    def append(self, height: int) -> None:
        """Add one at the end."""
        at = len(self._tree)
        covered = height
        step = 1
        while step < (at & -at):
            covered += self._tree[at - step]
            step <<= 1
        self._tree.append(covered)
        self._each.append(height)
        self.total += height

    def truncate(self, count: int) -> None:
        """Keep only the first `count`; a node never looks beyond its own index, so the rest of the tree stays as it is."""
        self.total -= sum(self._each[count:])
        del self._each[count:]
        del self._tree[count + 1 :]

    def top(self, index: int) -> int:
        """Return the sum of all heights before `index`, which may be the number of them."""
        top = 0
        while index > 0:
            top += self._tree[index]
            index -= index & -index
        return top

    def at(self, y: float) -> int:
        """Return the index of what is at `y`; the first if it is above all, the last if below. An item without height is never at a place.

        Raises:
            IndexError: there are none.
        """
        if not self._each:
            raise IndexError("there are no heights")
        found = 0
        step = 1 << len(self._each).bit_length()
        while step:
            further = found + step
            if further < len(self._tree) and self._tree[further] <= y:
                found = further
                y -= self._tree[further]
            step >>= 1
        return min(found, len(self._each) - 1)
