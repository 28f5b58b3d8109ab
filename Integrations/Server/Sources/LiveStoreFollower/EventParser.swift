/// Splits the bytes of a stream of server-sent events, which arrive in chunks of any size, into events.
///
/// The data of events of one name is given as it comes, since a whole result may be one event; that of others is collected, up to
/// a limit. Lines end with CR, LF or both; several lines of data are one text with LF between them; comments, unknown fields,
/// events without data and what is left at the end of the stream are nothing.
package struct EventParser {
  package enum Piece {
    /// A part of the data of an event that is given as it comes.
    case bytes(ArraySlice<UInt8>)
    /// The end of such an event.
    case end
    /// Another event.
    case event(name: String, data: [UInt8])
  }

  private enum Place {
    case name, beginning, value
  }

  private enum Field {
    case event, data, other
  }

  private let streamed: String
  private let limit: Int
  private var place = Place.name
  private var field = Field.other
  /// The name of the line's field as far as it has come.
  private var fieldName: [UInt8] = []
  private var isFirstLine = true
  private var isAfterReturn = false
  private var eventName: [UInt8] = []
  private var data: [UInt8] = []
  private var (hasData, isStreaming) = (false, false)

  /// - Parameters:
  ///   - streamed: the name of the events whose data is given as it comes.
  ///   - limit: how many bytes of data another event may have.
  package init(streaming streamed: String, limit: Int = 1 << 20) {
    (self.streamed, self.limit) = (streamed, limit)
  }

  /// Calls `receive` with what a chunk has.
  ///
  /// - Throws: `invalidStream` for a line or an event beyond the limits, and what `receive` throws. Nothing may be read after that.
  package mutating func read(_ chunk: [UInt8], _ receive: (Piece) throws -> Void) throws {
    var rest = chunk[...]
    while let byte = rest.first {
      if isAfterReturn {
        isAfterReturn = false
        if byte == 0x0A {
          rest.removeFirst()
          continue
        }
      }
      if byte == 0x0A || byte == 0x0D {
        rest.removeFirst()
        isAfterReturn = byte == 0x0D
        try endLine(receive)
        continue
      }
      switch place {
      case .name:
        rest.removeFirst()
        if byte == UInt8(ascii: ":") {
          try beginValue(receive)
        } else if fieldName.count < 16 {
          fieldName.append(byte)
        }
      case .beginning:
        if byte == UInt8(ascii: " ") { rest.removeFirst() }
        place = .value
      case .value:
        let part = rest.prefix { $0 != 0x0A && $0 != 0x0D }
        rest = rest[part.endIndex...]
        try take(part, receive)
      }
    }
  }

  private mutating func beginValue(_ receive: (Piece) throws -> Void) throws {
    var name = fieldName[...]
    if isFirstLine, name.starts(with: [0xEF, 0xBB, 0xBF]) { name = name.dropFirst(3) }
    fieldName.removeAll(keepingCapacity: true)
    place = .beginning
    if name.elementsEqual("data".utf8) {
      field = .data
      if !hasData { isStreaming = eventName.elementsEqual(streamed.utf8) }
      // The new line between two lines of data.
      if hasData { try take([0x0A], receive) }
      hasData = true
    } else if name.elementsEqual("event".utf8) {
      field = .event
      eventName.removeAll(keepingCapacity: true)
    } else {
      field = .other
    }
  }

  private mutating func take(_ part: ArraySlice<UInt8>, _ receive: (Piece) throws -> Void) throws {
    switch field {
    case .other: return
    case .event: eventName += part
    case .data where isStreaming: try receive(.bytes(part))
    case .data: data += part
    }
    if eventName.count > 256 || data.count > limit {
      throw FollowerError(.invalidStream, "An event of the stream is longer than it may be.")
    }
  }

  private mutating func endLine(_ receive: (Piece) throws -> Void) throws {
    if place == .name, !fieldName.isEmpty { try beginValue(receive) }
    let isBlank = place == .name
    place = .name
    isFirstLine = false
    guard isBlank else { return }
    defer { (eventName, data, hasData, isStreaming) = ([], [], false, false) }
    guard hasData else { return }
    let name = String(decoding: eventName, as: UTF8.self)
    if !isStreaming { return try receive(.event(name: name, data: data)) }
    guard name == streamed else {
      throw FollowerError(.invalidStream, "An event of the stream has two names.")
    }
    try receive(.end)
  }
}
