/// How an observer gets its events, and where in the code it was made: for inspections.
package struct ObserverSite: Sendable {
  package enum Kind: Sendable {
    case token
    case stream
    case model
  }

  package let kind: Kind
  private let fileID: StaticString
  private let line: UInt

  package init(_ kind: Kind, _ fileID: StaticString, _ line: UInt) {
    (self.kind, self.fileID, self.line) = (kind, fileID, line)
  }

  /// A stream of which no place is known.
  package static let unknown = ObserverSite(.stream, "", 0)

  /// The file and the line, without the module: `Feed.swift:12`; nil if they are not known.
  package var location: String? {
    if line == 0 { return nil }
    let file = fileID.description
    let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
    return "\(file[(slash.map { file.utf8.index(after: $0) } ?? file.startIndex)...]):\(line)"
  }
}
