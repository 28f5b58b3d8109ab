// Values that are only printed, or never looked at, need not be made. `JSONCompactor` rewrites a text into its compact form
// without making its values. `JSONText` finds values in a compact text and makes those alone. Each object is its compact
// text, in one block of memory that versions share (`Document`); a filter reads the values that it names, and output is a
// copy of bytes. The filter is evaluated as objects are read. Of one that fails it only the id is kept, under which the
// store has null: the object finds its place again if it meets the filter later.
//
// - **N1** The compact text of a text is the description of the value that the parser makes of it, byte by byte, and there
//   is none where the parser throws. What is rare (errors, keys that are equal, escaped or beyond ASCII, very many keys) is
//   left to the parser, so that it alone decides what is an error, and where.
// - **N2** Nothing is replaced by something longer, so that there is always room for the compact text: `written <= copied
//   <= index <= count`. A number whose form is longer, such as 1e18, is left to the parser.
// - **N3** A `JSONText` has bytes that N1 made. So there is no blank between values, no key occurs twice in an object, and
//   each value ends where its form says: readers do not check the length again. Two compact objects with the same keys in
//   the same order differ if one member differs; where the order differs, the values are made and compared.

package import LiveStore

/// Rewrites JSON texts into the one form in which values are written, without making the values.
///
/// A text is read once. Runs of bytes that are already in that form are copied as they are; blanks, escapes and numbers
/// that are written otherwise are replaced between them.
///
/// ```
/// {"a": 1.50, "b": "\u00e9"}   ┄┄>   {"a":1.5,"b":"é"}
/// └─run─┘ └─┘              the output is never longer than the text
/// ```
/// What is rare is left to the parser: texts with errors, keys with escapes or beyond ASCII, equal keys, and more keys
/// than `maximumKeys`. So the parser alone decides what is an error, and where.
package final class JSONCompactor {
  /// How many keys are compared with each other.
  static let maximumKeys = 128

  private static let keptRoom = 1 << 20

  /// The compact text.
  private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 16)
  private let keys = UnsafeMutableBufferPointer<JSONCompaction.Key>.allocate(capacity: maximumKeys)
  private let levels = UnsafeMutableBufferPointer<JSONCompaction.Level>.allocate(
    capacity: JSONValue.maximumDepth)

  /// A compactor that can be used for any number of texts.
  package init() {}

  deinit {
    bytes.deallocate()
    keys.deallocate()
    levels.deallocate()
  }

  /// How many bytes a text may have before more are allocated.
  package var room: Int { bytes.count }

  /// The compact text of a text: exactly what the description of the parsed value is (N1).
  ///
  /// - Parameter text: UTF-8 text of one value, which may have blanks around it.
  /// - Returns: a text that is valid until the next call.
  /// - Complexity: O(length)
  package func compact(_ text: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> JSONText {
    reserve(text.count)
    if let count = rewrite(text) { return JSONText(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
    var written: [UInt8] = []
    try JSONValue(parsing: text).write(to: &written)
    reserve(written.count)
    bytes.copyBytes(from: written)
    return JSONText(UnsafeRawBufferPointer(rebasing: bytes[..<written.count]))
  }

  /// Writes the compact text into `bytes` and gives its length; nil if the parser has to be asked.
  private func rewrite(_ text: UnsafeRawBufferPointer) -> Int? {
    guard let source = text.baseAddress, let target = bytes.baseAddress, let keys = keys.baseAddress,
      let levels = levels.baseAddress
    else { return nil }
    // Both are bytes and nothing else, and are used as such only while this call runs.
    var compaction = JSONCompaction(
      text: source.assumingMemoryBound(to: UInt8.self), count: text.count,
      output: target.assumingMemoryBound(to: UInt8.self), keys: keys, levels: levels)
    return compaction.run() ? compaction.written : nil
  }

  /// Makes room for a text, and releases that of much longer ones.
  private func reserve(_ count: Int) {
    let isExcessive = bytes.count > Self.keptRoom && bytes.count / 4 > count
    guard bytes.count < count || isExcessive else { return }
    bytes.deallocate()
    bytes = .allocate(byteCount: max(1 << 12, count + count / 2), alignment: 16)
  }
}
