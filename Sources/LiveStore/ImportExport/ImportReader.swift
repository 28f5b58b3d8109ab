import Foundation

/// Reads the elements of a JSON text that arrives in chunks, and makes edits of them.
///
/// It holds one element and the edits of one chunk, whatever the length of the text (J4).
struct ImportReader<Element: Entity & Decodable>: Sendable {
  private var splitter: JSONElementSplitter
  private let makeEdit: @Sendable (JSONValue) throws -> ImportEdit<Element>

  init(_ mode: ImportMode<Element>, _ decoder: JSONDecoder, maximumLength: Int) {
    splitter = JSONElementSplitter(maximumLength: maximumLength)
    makeEdit = mode.makeEdit(decoder)
  }

  /// The edits of the elements that a chunk completes; if there is an error, of the elements before it.
  struct Part: Sendable {
    var edits: [ImportEdit<Element>] = []
    var error: (any Error)?
    var isLast = false
  }

  /// Reads a chunk, or the end of the text.
  mutating func read(_ chunk: Data?) -> Part {
    var part = Part()
    do {
      let makeEdit = makeEdit
      func receive(_ element: JSONElementSplitter.Element) throws {
        part.edits.append(try Self.edit(element, makeEdit))
      }
      if let chunk {
        try chunk.withUnsafeBytes { try splitter.read($0, receive) }
      } else {
        try splitter.finish(receive)
        part.isLast = true
      }
    } catch let error as JSONListError {
      part.error = StoreError.syntaxError(error, entity: "\(Element.self)")
    } catch {
      part.error = error
    }
    return part
  }

  private static func edit(
    _ element: JSONElementSplitter.Element, _ makeEdit: (JSONValue) throws -> ImportEdit<Element>
  ) throws -> ImportEdit<Element> {
    let place = ImportPlace(index: element.index, line: element.start.line)
    let value: JSONValue
    do throws(JSONSyntaxError) {
      value = try JSONValue(parsing: element.bytes)
    } catch {
      let syntaxError = JSONListError(
        position: element.position(ofByte: error.column - 1), index: element.index, reason: error.reason)
      throw StoreError.syntaxError(syntaxError, entity: "\(Element.self)")
    }
    do {
      var edit = try makeEdit(value)
      edit.place = place
      return edit
    } catch {
      throw StoreError.importError(error, at: place, entity: "\(Element.self)")
    }
  }
}

extension JSONElementSplitter.Element {
  /// Where a byte of the element is in the text.
  fileprivate func position(ofByte offset: Int) -> JSONPosition {
    let before = bytes.prefix(offset)
    let lines = before.count { $0 == 0x0A }
    guard let newline = before.lastIndex(of: 0x0A) else {
      return JSONPosition(line: start.line, column: start.column + offset)
    }
    return JSONPosition(line: start.line + lines, column: offset - newline)
  }
}
