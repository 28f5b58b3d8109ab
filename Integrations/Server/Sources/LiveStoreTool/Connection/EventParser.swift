/// Reads server-sent events from parts of a body, wherever these are cut.
package struct EventParser {
  package struct Event: Equatable {
    package var name = ""
    package var data: [UInt8] = []
  }

  private var line: [UInt8] = []
  private var event = Event()
  private var hasData = false
  private let limit: Int

  /// - Parameter limit: how many bytes an event may have.
  package init(limit: Int) { self.limit = limit }

  /// The events that end in a part.
  ///
  /// - Throws: a `ToolFailure` for an event that is longer than the limit.
  package mutating func take(_ part: some Collection<UInt8>) throws -> [Event] {
    var events: [Event] = []
    var rest = part[...]
    while let end = rest.firstIndex(of: 0x0A) {
      line.append(contentsOf: rest[..<end])
      rest = rest[rest.index(after: end)...]
      if line.last == 0x0D { line.removeLast() }
      if let event = endLine() { events.append(event) }
    }
    line.append(contentsOf: rest)
    guard line.count + event.data.count <= limit else {
      throw ToolFailure.server("The server sends an event of more than \(limit) bytes.")
    }
    return events
  }

  /// The event that ends with an empty line, if it has data.
  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    if line.isEmpty {
      defer { (event, hasData) = (Event(), false) }
      return hasData ? event : nil
    }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    var value = line.dropFirst(name.count + 1)
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if name.elementsEqual("event".utf8) {
      event.name = String(decoding: value, as: UTF8.self)
    } else if name.elementsEqual("data".utf8) {
      if hasData { event.data.append(0x0A) }
      event.data.append(contentsOf: value)
      hasData = true
    }
    return nil
  }
}
