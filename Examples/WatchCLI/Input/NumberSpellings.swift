/// How numbers of an object were written that JSON writes otherwise: `+5`, `.5`, `5.`, `007`.
///
/// ```
/// text    │ place and end of each │ +5.5007 │ how many │ length of the text        numbers of 4 bytes, or nothing at all
/// ```
struct NumberSpellings {
  /// Where each number is in the object, in order, and where its spelling ends in `spellings`.
  private var places: [(place: UInt32, end: UInt32)] = []
  private var spellings: [UInt8] = []

  /// None.
  init() {}

  mutating func removeAll() {
    if places.isEmpty { return }
    places.removeAll(keepingCapacity: true)
    spellings.removeAll(keepingCapacity: true)
  }

  /// Adds the spelling of a number behind those before; places and lengths have 31 bits.
  mutating func add(_ spelling: UnsafeRawBufferPointer, at place: Int) {
    spellings += spelling
    places.append((UInt32(place), UInt32(spellings.count)))
  }

  /// All of them in one text.
  var text: [UInt8] {
    if places.isEmpty { return [] }
    let length = 8 * places.count + spellings.count + 8
    return places.withUnsafeBytes { Array($0) } + spellings
      + withUnsafeBytes(of: (UInt32(places.count), UInt32(length))) { Array($0) }
  }

  /// How long the text is that some bytes end in.
  static func length(atEndOf bytes: UnsafeRawBufferPointer) -> Int {
    Int(bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self))
  }

  /// How the number at a place of the object was written; nil if JSON writes it so.
  ///
  /// - Parameter text: what `text` gave.
  /// - Complexity: O(log *n*) for *n* spellings.
  static func spelling(at place: Int, in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    if text.isEmpty { return nil }
    let count = Int(text.loadUnaligned(fromByteOffset: text.count - 8, as: UInt32.self))
    func word(_ index: Int) -> Int { Int(text.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)) }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if word(2 * middle) < place { low = middle + 1 } else { high = middle }
    }
    guard low < count, word(2 * low) == place else { return nil }
    let start = low == 0 ? 0 : word(2 * low - 1)
    return UnsafeRawBufferPointer(rebasing: text[8 * count + start..<8 * count + word(2 * low + 1)])
  }
}
