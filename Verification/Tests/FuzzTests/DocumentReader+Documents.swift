import LiveStore
import livestore_watch

extension DocumentReader {
  /// Appends the documents of lines that are objects.
  mutating func read(
    _ chunk: UnsafeRawBufferPointer?, into documents: inout [Document], onBadLine: (BadLine) -> Bool
  ) {
    var changes: [InputChange] = []
    read(chunk, into: &changes, onBadLine: onBadLine)
    documents += changes.compactMap(\.document)
  }
}
