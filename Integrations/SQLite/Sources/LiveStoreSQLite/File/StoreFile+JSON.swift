public import Foundation
import LiveStore

extension StoreFile {
  /// Writes all objects as JSON, an object a line: for each entity a file of its name, such as `Post.ndjson`, all of one
  /// version of the store. What in a name is no part of one (a slash, a control character) is written as in a URL.
  ///
  /// ```swift
  /// try await file.exportJSON(to: folder)
  /// ```
  /// Properties are named by their coding keys. Values are as in the JSON columns of the file, so that
  /// ``importJSON(from:progress:)`` reads the same values: `UUID`s and dates as text, data in base 64.
  /// - Parameters:
  ///   - folder: where the files are written; it is made if there is none, as are those around it, and after an error
  ///     those that were made are removed. Each file replaces one of its name when it is
  ///     complete, and may be read by no more than the file of the store, and than the one that it replaces.
  ///   - progress: called now and then, with the objects that are written.
  /// - Returns: how many objects each entity has.
  /// - Throws: `ioFailed`, `mismatch` if an object cannot be encoded; `CancellationError`. Then
  ///   the files are as they were before, but for those that were replaced before an `ioFailed`.
  /// - Complexity: O(*n*) for *n* objects. Memory does not depend on their number.
  @concurrent
  @discardableResult
  public func exportJSON(
    to folder: URL, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> [String: Int] {
    try folder.requireFile()
    var missing = try FileNames.missingFolders(folder)
    // After an error, those in which nothing is.
    defer { for path in missing { rmdir(path) } }
    try FileFailure.accessing(folder) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    let snapshot = store.snapshot()
    let progress = ProgressReporter(progress)
    progress.begin(.writing, .rows, of: tables.reduce(0) { $0 + $1.count(snapshot) })
    var written = 0
    var counts: [String: Int] = [:]
    let parts = tables.map { PartFile(of: FileNames.lines(of: $0.name, in: folder)) }
    defer { for part in parts { part.remove() } }
    for (table, part) in zip(tables, parts) {
      let handle = FileHandle(fileDescriptor: try part.open(like: url), closeOnDealloc: true)
      defer { try? handle.close() }
      var chunk: [UInt8] = []
      counts[table.name] = try table.exportLines(snapshot) { line in
        chunk.append(contentsOf: line.utf8)
        chunk.append(0x0A)
        written += 1
        try progress.advance(toRow: written)
        if chunk.count < 1 << 16 { return }
        try Task.checkCancellation()
        try RegularFile.write(chunk, to: handle.fileDescriptor, part.target)
        chunk.removeAll(keepingCapacity: true)
      }
      try RegularFile.write(chunk, to: handle.fileDescriptor, part.target)
    }
    try Task.checkCancellation()
    // All are complete before the first has its name.
    for part in parts { try part.complete() }
    missing = []
    progress.end()
    return counts
  }

  /// Reads the files that ``exportJSON(to:progress:)`` wrote, or such as it, as one transaction: objects are added, or replace
  /// those of the same id.
  ///
  /// ```swift
  /// let count = try await file.importJSON(from: folder)
  /// ```
  /// - Parameters:
  ///   - folder: where the files are. One that is not there counts as empty; others are not read.
  ///   - progress: called now and then, with the bytes that are read. The transaction begins when all are.
  /// - Returns: how many objects were read.
  /// - Throws: `mismatch` with file and line if a line is no object of the entity; a `StoreError` if the objects break a
  ///   rule of their schemas; `ioFailed`, also for a symbolic link or a pipe; `CancellationError`. Then nothing was
  ///   written.
  /// - Complexity: O(*n*) for *n* objects.
  @concurrent
  @discardableResult
  public func importJSON(
    from folder: URL, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> Int {
    try folder.requireFile()
    let progress = ProgressReporter(progress)
    let sizes = try tables.map {
      try FileStamp.existing(FileNames.lines(of: $0.name, in: folder).path)?.size ?? 0
    }
    progress.begin(.reading, .bytes, of: Int(sizes.reduce(0, +)))
    var bytesRead = 0
    // Before the transaction: writers do not wait for a disk.
    var imports: [any ImportedObjects] = []
    for table in tables {
      let file = FileNames.lines(of: table.name, in: folder)
      guard try FileStatus.of(file.path) != nil else { continue }
      var (objects, number) = (table.makeImport(), 0)
      try RegularFile.forEachLine(file.path) { line in
        number += 1
        bytesRead += line.count + 1
        if number % ProgressReporter.stride == 0 { try progress.advance(to: bytesRead) }
        if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return }
        do {
          guard let text = String(validating: line, as: UTF8.self) else {
            throw CocoaError(.fileReadInapplicableStringEncoding)
          }
          try objects.append(text)
        } catch {
          throw StoreFileError(
            .mismatch,
            "Line \(number) of \(file.lastPathComponent) is no \(table.name): \(DecodingText.of(error))",
            table: table.name)
        }
      }
      imports.append(objects)
    }
    progress.end()
    return try await store.write(origin: "import") { [imports] tx in
      for objects in imports { try objects.upsert(in: &tx) }
      return imports.reduce(0) { $0 + $1.count }
    }
  }
}

extension TypedTable {
  func count(_ snapshot: Snapshot) -> Int { snapshot.count(Element.all) }

  func exportLines(_ snapshot: Snapshot, _ append: (String) throws -> Void) throws -> Int {
    let objects = snapshot.fetch(Element.all)
    for object in objects {
      let properties: [(key: String, value: CodedValue)]
      do {
        properties = try ValueEncoder.properties(of: object)
      } catch {
        throw StoreFileError(
          .mismatch, "The \(name) with id \(object.id) cannot be encoded: \(error)", table: name)
      }
      try append("\(JSONValue.object(JSONObject(properties.map { (key: $0.key, value: $0.value.json) })))")
    }
    return objects.count
  }

  func makeImport() -> any ImportedObjects { TypedImport<Element>() }
}

/// Objects that were read from lines of JSON.
protocol ImportedObjects: Sendable {
  var count: Int { get }
  /// Adds the object that a line is.
  mutating func append(_ line: String) throws
  func upsert(in tx: inout WriteTransaction) throws
}

private struct TypedImport<Element: Entity & Codable>: ImportedObjects {
  private var objects: [Element] = []

  var count: Int { objects.count }

  mutating func append(_ line: String) throws {
    objects.append(try Element(from: ValueDecoder(JSONValue(parsing: line))))
  }

  func upsert(in tx: inout WriteTransaction) throws { try tx.upsert(contentsOf: objects) }
}
