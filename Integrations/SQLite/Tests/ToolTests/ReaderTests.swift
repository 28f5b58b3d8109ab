import Crypto
import Dispatch
import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

private struct Sample: Entity, Codable {
  struct Place: Codable, Equatable, Sendable { var city: String }

  let id: Int64
  var text: String
  var real: Double
  var data: Data
  var uuid: UUID
  var date: Date
  var place: Place?
  var flag: Bool
  static let schema = Schema<Sample> {
    \.text
    \.real
    \.data
    \.uuid
    \.date
    \.place
    \.flag
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Reading a file without its types` {
  private let file: TemporaryFile

  init() throws { file = try TemporaryFile() }

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `values of all kinds are the JSON that exportJSON writes`(key: SymmetricKey?) async throws {
    let (uuid, date) = (UUID(), Date(timeIntervalSinceReferenceDate: 0.25))
    let samples = [
      Sample(
        id: .min, text: "", real: -0.5, data: Data([1, 2, 3]), uuid: uuid, date: date,
        place: Sample.Place(city: "Köln"), flag: true),
      Sample(
        id: .max, text: "[draft]", real: .infinity, data: Data(repeating: 1, count: 200), uuid: uuid,
        date: date,
        place: nil, flag: false),
      Sample(
        id: 0, text: "a\u{0}b", real: .nan, data: Data(), uuid: uuid, date: date, place: nil, flag: false),
    ]
    let store = try await StoreFile.open(at: file.url, Sample.self, options: .init(key: key))
    try await store.write { tx in try tx.insert(contentsOf: samples) }
    try await store.close()
    var objects: [JSONObject] = []
    var kinds: [String: Set<FieldValue.Kind>] = [:]
    try FileReader(file.url, key: key).read { version in
      try version.forEach("Sample") { row in
        objects.append(row.object)
        row.forEachKind { kinds[$0, default: []].insert($1) }
        for (name, value) in row.object { #expect(row.value(name) == value) }
        #expect(row.value("none") == nil)
        return true
      }
    }
    let first: JSONObject = [
      "id": JSONValue(Int64.min), "text": "", "real": -0.5, "data": "AQID", "uuid": .string(uuid.uuidString),
      "date": "2001-01-01 00:00:00.250", "place": ["city": "Köln"], "flag": true,
    ]
    #expect(objects.count == 3 && objects.first == first)
    #expect(objects.map { $0["text"] } == ["", "[draft]", "a\u{0}b"])
    #expect(objects.map { $0["id"] } == [JSONValue(Int64.min), JSONValue(Int64.max), 0])
    #expect(objects.map { $0["place"]?.isNull } == [false, nil, nil])
    #expect(kinds["uuid"] == [.uuid] && kinds["date"] == [.date] && kinds["place"] == [.object])
    #expect(kinds["flag"] == [.bool] && kinds["data"] == [.data] && kinds["text"] == [.text])
  }

  @Test func `rows are found by their numbers, near to each other or not`() async throws {
    let many = (0..<300).map { Post(id: UUID(), title: "\($0)", likeCount: $0) }
    let store = try await file.open(many)
    try await store.write { tx in for post in many[100..<150] { try tx.delete(Post.self, post.id) } }
    try FileReader(file.url, key: nil).read { version in
      var numbers: [Int64] = []
      try version.forEachMark("Post") { number, _ in numbers.append(number) }
      #expect(numbers.count == 250)
      for wanted in [
        numbers, [], [numbers[0]],
        [numbers[0], numbers[1], numbers[9], numbers[99], numbers[100], numbers[249]],
      ] {
        var found: [Int64] = []
        try version.forEach("Post", numbers: wanted) { found.append($0.number) }
        #expect(found == wanted)
      }
    }
    try await store.close()
  }

  /// | reader | owner |
  /// | --- | --- |
  /// | reads the first row | |
  /// | | deletes the second, inserts a fourth |
  /// | reads the rest: as it was | |
  /// | reads again: as it is | |
  @Test func `one version is read, whatever the owner writes meanwhile`() async throws {
    let store = try await file.open(posts)
    let reader = try FileReader(file.url, key: nil)
    let (hasBegun, hasWritten) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    async let titles: [JSONValue?] = withCheckedThrowingContinuation { continuation in
      // A thread of its own waits for the owner.
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            var titles: [JSONValue?] = []
            try reader.read { version in
              try version.forEach("Post") { row in
                titles.append(row.value("title"))
                if titles.count == 1 {
                  hasBegun.continuation.finish()
                  hasWritten.wait()
                }
                return true
              }
            }
            return titles
          })
      }
    }
    for await _ in hasBegun.stream {}
    do {
      defer { hasWritten.signal() }
      try await store.write { tx in
        try tx.delete(Post.self, posts[1].id)
        try tx.insert(Post(id: UUID(), title: "New", likeCount: 0))
      }
    }
    #expect(try await titles == posts.map { .string($0.title) })
    var again: [JSONValue?] = []
    try reader.read { version in
      try version.forEach("Post") { row in
        again.append(row.value("title"))
        return true
      }
    }
    #expect(again == ["Tea", "Pie", "New"])
    try await store.close()
  }

  @Test func `a closed file that is written while it is read is an error, and is read again afterwards`()
    async throws
  {
    try await file.make(posts)
    let reader = try FileReader(file.url, key: nil)
    let mark = try reader.mark()
    #expect(try reader.mark() == mark)
    #expect(throws: FileChangedError.self) {
      try reader.read { _ in
        // As a checkpoint does.
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.url.path)
      }
    }
    var count = 0
    try reader.read { count = $0.count("Post") }
    #expect(count == 3)
    #expect(try reader.mark() != mark)
  }

  @Test func `an owner opens, writes and closes a file that a reader has open`() async throws {
    try await file.make(posts)
    let reader = try FileReader(file.url, key: nil)
    for round in 1...3 {
      let store = try await file.open()
      let before = try reader.mark()
      try await store.write { tx in try tx.insert(Post(id: UUID(), title: "\(round)", likeCount: 0)) }
      #expect(try reader.mark() != before)
      var count = 0
      try reader.read { count = $0.count("Post") }
      #expect(count == 3 + round)
      try await store.compact()
      try await store.close()
    }
  }
}
