import LiveStore

/// A row of a table that is sorted by place, so that it can be brought into any order.
struct Line: Entity {
  let id: Int
  var position: Double
  var value = 0

  static let schema = Schema<Line> {
    \.position
    \.value
  }

  static let inOrder = Line.sorted(by: \.position)
}
