import HTTPTypes
import Hummingbird

/// What names an answer: from where it leads, and to which version.
struct EntityTag: Sendable {
  private let name: String

  init(from start: String, to mark: StreamMark) { name = "\(start):\(mark.offset)" }

  /// The tag of a whole result.
  init(isReset: Bool, _ mark: StreamMark) { self.init(from: isReset ? "reset" : "-1", to: mark) }

  /// As a header has it.
  var text: String { "\"\(name)\"" }

  /// Whether the client has the answer: RFC 9110, 13.1.2.
  func isIn(_ request: Request) -> Bool {
    guard let list = request.headers[.ifNoneMatch] else { return false }
    if list == "*" { return true }
    // Names stand between quotation marks, and have none in them; strong and weak tags are compared alike.
    let parts = list.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    return parts.indices.dropLast().contains { !$0.isMultiple(of: 2) && parts[$0].elementsEqual(name.utf8) }
  }
}
