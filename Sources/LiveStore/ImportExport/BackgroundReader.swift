import Foundation

/// Decodes an import in the background.
actor BackgroundReader<Element: Entity & Decodable> {
  private var reader: ImportReader<Element>

  init(_ reader: ImportReader<Element>) { self.reader = reader }

  /// Reads a chunk, or the end of the text.
  func read(_ chunk: Data?) -> ImportReader<Element>.Part { reader.read(chunk) }
}
