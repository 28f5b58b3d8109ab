/// The lengths of the longest common beginning of two arrays, and of the longest common end of the rest.
func commonEnds<Element: Equatable>(_ old: [Element], _ new: [Element]) -> (head: Int, tail: Int) {
  let shorter = min(old.count, new.count)
  var head = 0
  while head < shorter, old[head] == new[head] { head += 1 }
  var tail = 0
  while tail < shorter - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
  return (head, tail)
}
