import LiveStore

/// The text of an object and that of its id, in one block of memory, and how its numbers were written otherwise than in JSON.
///
/// ```
/// header │ {"name":"Ann","id":7}            the id is a part of the object: offsets of 7
/// header │ [1,"a"] │ {"x":1,"y":"a"}        the id is not a part of it, but in front of it
/// header │ 800000 │ "a" │ {"x":1}           behind a place among other objects
/// header │ {"id":7,"x":0.5} │ spellings     of a row with 7 and .5
/// ```
/// Nothing is written to it once it has been made, and a buffer is alive until the closure returns that reads it. (The base class rules out `Sendable`; `Document` gives the proof.)
final class DocumentText: ManagedBuffer<DocumentText.Header, UInt8> {
  /// Offsets from the first byte; 16 bytes.
  struct Header {
    /// Where the last byte ends; below zero if the last bytes are spellings.
    let signedEnd: Int
    let idStart: Int32
    /// How long the id is; below zero if it is in front of the object, where a place is in front of the id.
    let signedCount: Int32
  }

  /// Where an id stands.
  enum Identity {
    /// At these offsets in the text of the object.
    case inside(Range<Int>)
    /// Not a part of it; `place` is where the object stands among others.
    case outside(JSONValue, place: String? = nil)
  }

  /// A copy of an object's text, with its id.
  ///
  /// - Parameter spellings: how numbers of it were written.
  static func make(_ object: JSONText, id: Identity, spellings: NumberSpellings = NumberSpellings())
    -> DocumentText
  {
    switch id {
    case .inside(let range) where range.upperBound <= Int32.max:
      return make([], object, spellings.text, id: (range.lowerBound, range.count))
    case .inside(let range):
      return make(id: Array(object.bytes[range]), object, spellings.text)
    case .outside(.null, nil): return make(id: null, object, spellings.text)
    case .outside(let id, let place):
      var bytes: [UInt8] = []
      id.write(to: &bytes)
      return make(id: bytes, place: place, object, spellings.text)
    }
  }

  /// The same id, with null in the place of the object.
  func withoutObject() -> DocumentText {
    withID { id in
      Self.null.withUnsafeBytes { Self.make(id: Array(id.bytes), place: place, JSONText($0), []) }
    }
  }

  private static func make(
    id: [UInt8], place: String? = nil, _ object: JSONText, _ spellings: [UInt8]
  ) -> DocumentText {
    let place = Array((place ?? "").utf8)
    return make(place + id, object, spellings, id: (place.count, -id.count))
  }

  private static let null = Array("null".utf8)

  private static func make(
    _ front: [UInt8], _ object: JSONText, _ spellings: [UInt8], id: (start: Int, count: Int)
  )
    -> DocumentText
  {
    let count = front.count + object.bytes.count + spellings.count
    let header = Header(
      signedEnd: spellings.isEmpty ? count : -count, idStart: Int32(clamping: id.start),
      signedCount: Int32(clamping: id.count))
    let buffer = DocumentText.create(minimumCapacity: count) { _ in header }
    buffer.withUnsafeMutablePointerToElements { start in
      let bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
      bytes.copyBytes(from: front)
      UnsafeMutableRawBufferPointer(rebasing: bytes[front.count...]).copyMemory(from: object.bytes)
      UnsafeMutableRawBufferPointer(rebasing: bytes[(count - spellings.count)...]).copyBytes(from: spellings)
    }
    // `create` called on this class makes one of it.
    return unsafeDowncast(buffer, to: DocumentText.self)
  }

  /// Calls a closure with the text of the id, which is valid until it returns.
  func withID<Result>(_ read: (JSONText) -> Result) -> Result {
    withUnsafeMutablePointers { header, bytes in
      let (start, count) = (Int(header.pointee.idStart), Int(header.pointee.signedCount.magnitude))
      return read(JSONText(UnsafeRawBufferPointer(start: bytes + start, count: count)))
    }
  }

  /// Where the object stands among others, if that is known.
  var place: String? {
    withUnsafeMutablePointers { header, bytes in
      guard header.pointee.signedCount < 0, header.pointee.idStart > 0 else { return nil }
      let place = UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.idStart))
      return String(decoding: place, as: UTF8.self)
    }
  }

  /// Calls a closure with the text of the object, which is valid until it returns.
  func withObject<Result>(_ read: (JSONText) -> Result) -> Result {
    withObject { object, _ in read(object) }
  }

  /// Calls a closure with the text of the object and how its numbers were written, see `NumberSpellings`.
  func withObject<Result>(_ read: (JSONText, UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeMutablePointers { header, first in
      let (idStart, signedCount) = (header.pointee.idStart, header.pointee.signedCount)
      let start = signedCount < 0 ? Int(idStart) - Int(signedCount) : 0
      let end = Int(header.pointee.signedEnd.magnitude)
      let bytes = UnsafeRawBufferPointer(start: first + start, count: end - start)
      let count =
        bytes.count - (header.pointee.signedEnd < 0 ? NumberSpellings.length(atEndOf: bytes) : 0)
      return read(
        JSONText(UnsafeRawBufferPointer(rebasing: bytes[..<count])),
        UnsafeRawBufferPointer(rebasing: bytes[count...]))
    }
  }
}
