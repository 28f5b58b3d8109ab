package import LiveStore
package import LiveStoreSQLite

/// A store that has the objects of one entity as they are in a file, whenever it is brought up to date.
///
/// Of each row it holds the number and a mark, by which it finds the rows that another process has written: those alone
/// are read again. So an update costs a walk over the numbers if the table was written, and memory follows the size of the
/// table, not time.
package actor FileCopy {
  package nonisolated let store: Store
  private let reader: FileReader
  private let entity: String?
  /// Called while the objects are read for the first time.
  private var progress: (@Sendable (StoreFile.Progress) -> Void)?
  private var fileMark: FileReader.Mark?
  private var rowMarks = ContiguousArray<RowMark>()
  private var sum: FileVersion.Sum?
  private var layout: RowLayout?
  /// The version of the file.
  package private(set) var version: Int64 = 0
  /// The names of the entity's properties.
  package private(set) var properties: [String] = []
  /// How many rows have been read, for tests.
  package private(set) var rowsRead = 0
  /// How many marks have been read, for tests.
  package private(set) var marksRead = 0

  private struct RowMark {
    let number: Int64
    let mark: Int64
  }

  /// The rows that differ from those of the store, by their numbers, which ascend.
  private struct Difference {
    var written: [Int64] = []
    var deleted: [Int64] = []
    /// The first row that is new and has others behind it that are not.
    var firstBetween: Int64?
  }

  package init(
    _ reader: FileReader, _ entity: String?, progress: (@Sendable (StoreFile.Progress) -> Void)? = nil
  ) throws {
    (self.reader, self.entity, self.progress) = (reader, entity, progress)
    var configuration = Store.Configuration()
    // Nothing looks back.
    (configuration.historyCommits, configuration.historyRows) = (0, 0)
    store = try Store(StoredObject.self, configuration: configuration)
  }

  /// Takes over what another process has written to the file since the last time.
  ///
  /// - Returns: false if the file was written meanwhile, and could not be read.
  /// - Throws: an error if the file cannot be read, or is not there any more.
  @discardableResult
  package func update() throws -> Bool {
    do {
      let mark = try reader.mark()
      if mark == fileMark { return true }
      try reader.read(progress: progress) { file in try read(file) }
      (fileMark, progress) = (mark, nil)
      return true
    } catch is FileChangedError {
      return false
    }
  }

  private func read(_ file: FileVersion) throws {
    let name = try file.entity(entity)
    guard let newLayout = file.layout(name) else { return }
    // Under other columns, equal marks may belong to other values.
    let isReadAgain = layout.map { !$0.agrees(with: newLayout) } ?? true
    if !isReadAgain, file.sum(name) == sum {
      // Only other entities were written.
      version = file.version
      return
    }
    file.beginReading([name])
    let (difference, marks) = try difference(file, name, isReadAgain)
    var objects: [StoredObject] = []
    objects.reserveCapacity(difference.written.count)
    if difference.written.count == marks.count {
      try file.forEach(name) { row in
        try Task.checkCancellation()
        objects.append(StoredObject(row))
        return true
      }
    } else {
      try file.forEach(name, numbers: difference.written) { row in
        try Task.checkCancellation()
        objects.append(StoredObject(row))
      }
    }
    try store.write { tx in
      for number in difference.deleted { try tx.delete(StoredObject.self, number) }
      try tx.upsert(contentsOf: objects)
      guard let first = difference.firstBetween else { return }
      // What is inserted goes to the end: so does what stands behind it, after it.
      for mark in marks where mark.number > first {
        guard let object = tx[StoredObject.self, mark.number] else { continue }
        try tx.delete(StoredObject.self, mark.number)
        try tx.insert(object)
      }
    }
    rowsRead += objects.count
    marksRead += marks.count
    (rowMarks, sum, layout) = (marks, file.sum(name), newLayout)
    (properties, version) = (file.properties(name), file.version)
  }

  private func difference(_ file: FileVersion, _ name: String, _ isReadAgain: Bool) throws -> (
    Difference, ContiguousArray<RowMark>
  ) {
    var difference = Difference()
    var marks = ContiguousArray<RowMark>()
    // What a damaged file says is not believed.
    marks.reserveCapacity(min(file.count(name), 1 << 20))
    var old = rowMarks[...]
    try file.forEachMark(name) { number, mark in
      try Task.checkCancellation()
      marks.append(RowMark(number: number, mark: mark))
      while let first = old.first, first.number < number {
        difference.deleted.append(first.number)
        old = old.dropFirst()
      }
      if let first = old.first, first.number == number {
        if first.mark != mark || isReadAgain { difference.written.append(number) }
        old = old.dropFirst()
      } else {
        difference.written.append(number)
        if difference.firstBetween == nil, !old.isEmpty { difference.firstBetween = number }
      }
    }
    difference.deleted += old.map(\.number)
    return (difference, marks)
  }
}
