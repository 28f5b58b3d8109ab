import LiveStore

/// A moment to the nanosecond, which Foundation's `Date` cannot distinguish far from its reference date.
struct Timestamp: Hashable, Comparable, Sendable {
  var seconds = 0
  var nanoseconds = 0

  static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

extension Timestamp: OrderedCaseValue {
  static let typeName = "date"

  init(_ json: JSONValue) throws(CaseFailure) {
    self.init(seconds: try json.integer("s"), nanoseconds: try json.integer("ns"))
  }

  var json: JSONValue { ["s": JSONValue(seconds), "ns": JSONValue(nanoseconds)] }
}
