/// The places of objects in the file: the numbers of their rows.
///
/// A store counts the places of its objects from 1 each time that it is loaded; in the file there are gaps where objects
/// were deleted. So a row of the file is found by the run of places without gap that the object's place falls into.
struct PlaceMap: Sendable {
  private var runs: [(store: UInt64, file: Int64)] = []
  private var count: UInt64 = 0

  /// Adds the row of the next object that is loaded.
  ///
  /// - Parameter row: larger than the one before.
  mutating func append(_ row: Int64) {
    count += 1
    if let last = runs.last, last.file + Int64(count - last.store) == row { return }
    runs.append((count, row))
  }

  /// The row of an object at a place. Objects that came after loading have rows behind all others.
  ///
  /// - Complexity: O(log *g*) for *g* gaps.
  func row(_ place: UInt64) -> Int64 {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].store <= place { low = middle + 1 } else { high = middle }
    }
    if low == 0 { return Int64(place) }
    return runs[low - 1].file + Int64(place - runs[low - 1].store)
  }
}
