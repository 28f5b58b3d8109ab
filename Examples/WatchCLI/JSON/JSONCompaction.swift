import Foundation
import LiveStore

/// One text while it is rewritten, see `JSONCompactor`.
///
/// ```
/// text      ┄┄┄ rewritten ┄┄┄ copied ── to be copied as it is ── index ┄┄┄ not read ┄┄┄ count
/// output    ┄┄┄ written
/// ```
/// A method that returns true has accepted what the parser accepts, and its rewritten form is that of `JSONValue.write`
/// (N1). If it returns false, nothing is known of the text. What replaces something is never longer (N2).
struct JSONCompaction {
  /// A key of an open object.
  struct Key {
    let start: Int
    let count: Int
    let hash: UInt64
  }

  /// An open array or object.
  struct Level {
    let isObject: Bool
    /// Where its keys begin among the keys.
    let firstKey: Int
    /// A bit for each of its keys, by its hash: a key whose bit is not set is new.
    var seen: UInt64 = 0
  }

  let text: UnsafePointer<UInt8>
  let count: Int
  /// Room for `count` bytes.
  let output: UnsafeMutablePointer<UInt8>
  /// Room for `JSONCompactor.maximumKeys`, of which `keyCount` are used.
  let keys: UnsafeMutablePointer<Key>
  /// Room for `JSONValue.maximumDepth`, of which `depth` are used.
  let levels: UnsafeMutablePointer<Level>
  var index = 0
  var copied = 0
  var written = 0
  var keyCount = 0
  var depth = 0

  init(
    text: UnsafePointer<UInt8>, count: Int, output: UnsafeMutablePointer<UInt8>,
    keys: UnsafeMutablePointer<Key>, levels: UnsafeMutablePointer<Level>
  ) {
    (self.text, self.count, self.output, self.keys, self.levels) = (text, count, output, keys, levels)
  }

  /// Rewrites the whole text.
  mutating func run() -> Bool {
    while true {
      guard let isComplete = value() else { return false }
      guard isComplete else { continue }
      // A value is complete, and with it perhaps the containers around it.
      repeat {
        dropBlanks()
        if depth == 0 {
          copy()
          return index == count
        }
        guard let isClosed = commaOrClosing() else { return false }
        if !isClosed { break }
      } while true
    }
  }

  /// Reads a scalar or an empty container, or opens a container and gives false.
  @inline(__always)
  private mutating func value() -> Bool? {
    dropBlanks()
    guard index < count else { return nil }
    switch text[index] {
    case UInt8(ascii: "\""): return string() == nil ? nil : true
    case UInt8(ascii: "{"):
      guard open(isObject: true) else { return nil }
      if index < count, text[index] == UInt8(ascii: "}") { return close() }
      return key() ? false : nil
    case UInt8(ascii: "["):
      guard open(isObject: false) else { return nil }
      return index < count && text[index] == UInt8(ascii: "]") ? close() : false
    case UInt8(ascii: "t"): return word("true") ? true : nil
    case UInt8(ascii: "f"): return word("false") ? true : nil
    case UInt8(ascii: "n"): return word("null") ? true : nil
    default: return number() ? true : nil
    }
  }

  /// Reads a comma (and a key), or the container's end and gives true.
  @inline(__always)
  private mutating func commaOrClosing() -> Bool? {
    guard index < count else { return nil }
    let isObject = levels[depth &- 1].isObject
    switch text[index] {
    case UInt8(ascii: ","):
      index &+= 1
      if !isObject { return false }
      dropBlanks()
      return key() ? false : nil
    case UInt8(ascii: "}") where isObject: return close()
    case UInt8(ascii: "]") where !isObject: return close()
    default: return nil
    }
  }

  @inline(__always)
  private mutating func open(isObject: Bool) -> Bool {
    guard depth < JSONValue.maximumDepth else { return false }
    levels.advanced(by: depth).initialize(to: Level(isObject: isObject, firstKey: keyCount))
    depth &+= 1
    index &+= 1
    dropBlanks()
    return true
  }

  @inline(__always)
  private mutating func close() -> Bool {
    depth &-= 1
    keyCount = levels[depth].firstKey
    index &+= 1
    return true
  }

  @inline(__always)
  private mutating func word(_ word: StaticString) -> Bool {
    guard index &+ word.utf8CodeUnitCount <= count,
      memcmp(text + index, word.utf8Start, word.utf8CodeUnitCount) == 0
    else { return false }
    index &+= word.utf8CodeUnitCount
    return true
  }

  /// Leaves out blanks.
  @inline(__always)
  private mutating func dropBlanks() {
    if index < count, text[index] <= 0x20 { dropSomeBlanks() }
  }

  private mutating func dropSomeBlanks() {
    copy()
    while index < count, [0x20, 0x0A, 0x0D, 0x09].contains(text[index]) { index &+= 1 }
    copied = index
  }

  /// Copies what has been read and is in its form.
  mutating func copy() {
    let run = index &- copied
    memcpy(output + written, text + copied, run)
    (copied, written) = (index, written &+ run)
  }

  /// Leaves out the bytes read since a place, and writes others instead, which are not more.
  mutating func replace(from start: Int, by bytes: some Sequence<UInt8>) {
    let end = index
    index = start
    copy()
    for byte in bytes {
      output[written] = byte
      written &+= 1
    }
    (index, copied) = (end, end)
  }
}
