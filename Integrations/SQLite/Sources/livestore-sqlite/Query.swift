import ArgumentParser
import LiveStore
import LiveStoreSQLite

struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the objects of an entity that meet a filter.",
    discussion:
      "livestore-sqlite query posts.db Post --where 'likeCount >= 10' --sort likeCount:desc --limit 20")

  @OptionGroup var options: FileOptions
  @OptionGroup var selection: QueryOptions

  @Option(help: "How objects are shown: table, or lines of JSON.") var format = Format.table

  enum Format: String, ExpressibleByArgument, CaseIterable { case table, lines }

  func run() throws {
    let store = try Store(StoredObject.self)
    var (columns, query) = ([] as [String], StoredObject.all)
    try options.open().read { file in
      let entity = try file.entity(selection.entity)
      let properties = file.properties(entity)
      (columns, query) = (try selection.columns(properties), try selection.query(properties))
      // Without an order, nothing behind the limit is needed; with one, or a filter, the store finds it.
      var objects: [StoredObject] = []
      try file.forEach(entity) { row in
        if selection.filter == nil, selection.sort == nil, let limit = selection.limit, objects.count >= limit
        {
          return
        }
        objects.append(StoredObject(id: row.number, object: row.object))
      }
      try store.write { tx in try tx.insert(contentsOf: objects) }
    }
    let printer = RowPrinter(columns)
    let results = store.snapshot().fetch(query)
    switch format {
    case .lines: for row in results { print(printer.line(row.object)) }
    case .table: for line in printer.table(results.map(\.object)) { print(line) }
    }
  }
}
