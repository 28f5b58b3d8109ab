/// Objects in insertion order, found by id; what is deleted leaves a gap.
struct Table<Element: ModelEntity>: Sendable {
  private var slots: [Element?] = []
  private var places: [Canon: Int] = [:]
  private var insertions: [Canon: Int] = [:]
  private var insertionCount = 0

  var count: Int { places.count }
  var rows: [Element] { slots.compactMap { $0 } }

  subscript(id: Element.ID) -> Element? { self[id.canon] }
  subscript(id: Canon) -> Element? { places[id].flatMap { slots[$0] } }

  /// The number of the insertion that put an object into its place: another one if it was deleted since.
  func insertion(of id: Canon) -> Int? { insertions[id] }

  /// One of the objects.
  func any(_ random: inout Randomness) -> Element? {
    for _ in 0..<8 where !slots.isEmpty {
      if let element = random.pick(slots) { return element }
    }
    return random.pickAny(rows)
  }

  /// Puts an object in its place, or in the last one.
  mutating func put(_ element: Element) {
    if let place = places[element.id.canon] {
      slots[place] = element
    } else {
      places[element.id.canon] = slots.count
      slots.append(element)
      insertionCount += 1
      insertions[element.id.canon] = insertionCount
    }
  }

  mutating func remove(_ id: Canon) {
    guard let place = places.removeValue(forKey: id) else { return }
    insertions[id] = nil
    slots[place] = nil
    if slots.count > 64, places.count * 4 < slots.count { pack() }
  }

  private mutating func pack() {
    slots = rows
    for (place, element) in rows.enumerated() { places[element.id.canon] = place }
  }

  /// Whether both have the same objects, by what counts, in the same places.
  func isSame(as other: Table) -> Bool {
    guard count == other.count else { return false }
    return zip(rows, other.rows).allSatisfy { $0.id.canon == $1.id.canon && $0.values == $1.values }
  }
}
