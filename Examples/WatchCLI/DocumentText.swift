import LiveStore

/// The text of an object and that of its id, in one block of memory.
///
/// ```
/// header │ {"name":"Ann","id":7}            the id is a part of the object: offsets of 7
/// header │ [1,"a"] │ {"x":1,"y":"a"}        the id is not a part of it, but in front of it
/// ```
/// Nothing is written to it once it has been made. (The base class rules out `Sendable`; `Document` gives the proof.)
final class DocumentText: ManagedBuffer<DocumentText.Header, UInt8> {
  /// Offsets from the first byte; 16 bytes.
  struct Header {
    /// Where the last byte ends.
    let count: Int
    let idStart: Int32
    /// How long the id is; below zero if it is in front of the object.
    let signedCount: Int32
  }

  /// Where an id stands.
  enum Identity {
    /// At these offsets in the text of the object.
    case inside(Range<Int>)
    case outside(JSONValue)
  }

  /// A copy of an object's text, with its id.
  static func make(_ object: JSONText, id: Identity) -> DocumentText {
    switch id {
    case .inside(let range):
      if let start = Int32(exactly: range.lowerBound), let count = Int32(exactly: range.count) {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        return make(none, object, Header(count: object.bytes.count, idStart: start, signedCount: count))
      }
      return make(object, id: JSONText(UnsafeRawBufferPointer(rebasing: object.bytes[range])).value)
    case .outside(let id): return make(object, id: id)
    }
  }

  /// A copy of an object's text, with its id.
  static func make(_ object: JSONText, id: JSONValue) -> DocumentText {
    var bytes: [UInt8] = []
    id.write(to: &bytes)
    return bytes.withUnsafeBytes { make(object, after: $0) }
  }

  /// The same id, with null in the place of the object.
  func withoutObject() -> DocumentText {
    withID { id in
      Self.null.withUnsafeBytes { Self.make(JSONText($0), after: id.bytes) }
    }
  }

  private static let null = Array("null".utf8)

  private static func make(_ object: JSONText, after id: UnsafeRawBufferPointer) -> DocumentText {
    let header = Header(
      count: id.count + object.bytes.count, idStart: 0, signedCount: -Int32(clamping: id.count))
    return make(id, object, header)
  }

  private static func make(_ id: UnsafeRawBufferPointer, _ object: JSONText, _ header: Header)
    -> DocumentText
  {
    let buffer = DocumentText.create(minimumCapacity: header.count) { _ in header }
    buffer.withUnsafeMutablePointerToElements { start in
      let bytes = UnsafeMutableRawBufferPointer(start: start, count: header.count)
      bytes.copyBytes(from: id)
      UnsafeMutableRawBufferPointer(rebasing: bytes[id.count...]).copyMemory(from: object.bytes)
    }
    // `create` called on this class makes one of it.
    return unsafeDowncast(buffer, to: DocumentText.self)
  }

  /// Calls a closure with the text of the id, which is valid until it returns.
  func withID<Result>(_ read: (JSONText) -> Result) -> Result {
    withText(from: Int(header.idStart), count: Int(header.signedCount.magnitude), read)
  }

  /// Calls a closure with the text of the object, which is valid until it returns.
  func withObject<Result>(_ read: (JSONText) -> Result) -> Result {
    let start = Int(max(0, -header.signedCount))
    return withText(from: start, count: header.count - start, read)
  }

  private func withText<Result>(from start: Int, count: Int, _ read: (JSONText) -> Result) -> Result {
    // `header.count` bytes have been written; the buffer is alive until the closure returns.
    withUnsafeMutablePointerToElements { bytes in
      read(JSONText(UnsafeRawBufferPointer(start: bytes + start, count: count)))
    }
  }
}
