import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

private struct Plant: Entity, Codable, Equatable {
  let id: Int
  var name: String?
  var height: Int?
  static let schema = Schema<Plant> {
    \.name
    \.height
  }
}

private struct Tree: Entity, Codable, Equatable {
  let id: Int
  var name: String?
  var height: Int?
  static let schema = Schema<Tree> {
    \.name
    \.height
  }
}

private struct Stopped: Error {}

@Suite(.timeLimit(.minutes(10))) struct `Steps of migrations that go on after an error` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func writePlants(_ sealing: Sealing) async throws {
    try await folder.write(Plant.self, Tree.self, options: sealing.options()) { tx in
      for id in 1...4 { try tx.insert(Plant(id: id, name: "p\(id)", height: id)) }
    }
  }

  private func plants(_ sealing: Sealing, _ body: @escaping Migration.Body) async throws -> [Plant] {
    let options = sealing.options([Migration(from: 1, to: 2, body)])
    let plants = try await folder.all(Plant.self, options: options)
    try require(try await folder.all(Plant.self, options: options) == plants, "a second opening reads others")
    return plants
  }

  /// A body of a step that fails among the objects has changed those before, and the file stays whole.
  @Test(arguments: Sealing.allCases)
  func `an update that fails in the middle and is caught leaves a file that is whole`(sealing: Sealing)
    async throws
  {
    try await writePlants(sealing)
    let plants = try await plants(sealing) { _, tx in
      do {
        try tx.update("Plant") { plant in
          if try plant.value("id") == 3 { throw Stopped() }
          try plant.set("height", to: 50)
          try plant.set("extra", to: 1)
        }
      } catch is Stopped {}
    }
    #expect(plants.map(\.id) == [1, 2, 3, 4] && plants.map(\.name) == ["p1", "p2", "p3", "p4"])
    // All or nothing, or what came before the error.
    #expect([[1, 2, 3, 4], [50, 50, 3, 4]].contains(plants.map(\.height)))
  }

  @Test(arguments: Sealing.allCases)
  func `a deletion that fails in the middle and is caught leaves a file that is whole`(sealing: Sealing)
    async throws
  {
    try await writePlants(sealing)
    let plants = try await plants(sealing) { _, tx in
      do {
        try tx.delete("Plant") { plant in
          if try plant.value("id") == 3 { throw Stopped() }
          return true
        }
      } catch is Stopped {}
    }
    #expect([[1, 2, 3, 4], [3, 4]].contains(plants.map(\.id)))
  }

  @Test(arguments: Sealing.allCases)
  func `an insertion that fails and is caught adds nothing`(sealing: Sealing) async throws {
    try await writePlants(sealing)
    let plants = try await plants(sealing) { _, tx in
      for entity in ["Plant", "Weed"] {
        do {
          try tx.insert(entity) { row in
            try row.set("id", to: 9)
            throw Stopped()
          }
        } catch is Stopped {}
      }
    }
    #expect(plants.map(\.id) == [1, 2, 3, 4])
  }

  @Test(arguments: Sealing.allCases)
  func `names that differ by case alone are refused by name in a step`(sealing: Sealing) async throws {
    try await writePlants(sealing)
    let steps: [Migration.Body] = [
      { _, tx in try tx.insert("PLANT") { try $0.set("id", to: 9) } },
      { _, tx in try tx.update("Plant") { try $0.set("NAME", to: "x") } },
      { _, tx in try tx.insert("Plant") { try $0.set("Height", to: 1) } },
      { _, tx in try tx.renameProperty("name", of: "Plant", to: "HEIGHT") },
      { _, tx in try tx.renameProperty("name", of: "Plant", to: "_place") },
      { _, tx in try tx.renameProperty("name", of: "Plant", to: "_CHECK") },
    ]
    for (index, body) in steps.enumerated() {
      let error = try await folder.fileError(
        Plant.self, options: sealing.options([Migration(from: 1, to: 2, body)]))
      #expect([.invalidMigration, .mismatch].contains(error.code), "step \(index): \(error)")
      #expect(error.message.lowercased().contains("plant"), "step \(index): \(error)")
    }
  }

  /// Regression: the table of an empty entity was not kept before another took its name. The step then read the objects
  /// of the other as those from before, or took them for damaged in an encrypted file.
  @Test(arguments: Sealing.allCases)
  func `an empty entity whose name another takes was empty before the step`(sealing: Sealing) async throws {
    try await writePlants(sealing)
    try await folder.write(Tree.self, options: sealing.options()) { tx in try tx.insert(Tree(id: 1)) }
    try await folder.write(Tree.self, options: sealing.options()) { tx in try tx.delete(Tree.self, 1) }
    let step = Migration(from: 1, to: 2) { old, tx in
      try tx.renameEntity("Plant", to: "Tree")
      var (trees, plants) = ([Int](), [Int]())
      try old.forEach("Tree") { trees.append(try $0.value("id")) }
      try old.forEach("Plant") { plants.append(try $0.value("id")) }
      let count = old.count("Tree")
      try require(trees == [] && count == 0, "there were trees: \(trees), \(count)")
      try require(plants == [1, 2, 3, 4], "there were other plants: \(plants)")
      try tx.update("Tree") { try $0.set("name", to: "t") }
      try old.forEach("Tree") { _ in throw Mismatch("there were trees") }
    }
    for _ in 0..<2 {
      let trees = try await folder.all(Tree.self, options: sealing.options([step]))
      #expect(trees == (1...4).map { Tree(id: $0, name: "t", height: $0) })
    }
  }
}
