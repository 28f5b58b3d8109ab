import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

private struct Patient: Entity, Codable, Equatable {
  let id: String
  var diagnosisName: String
  var device: UUID
  var measured: Int
  var image: Data
  var visits: [String: Visit]
  var doctor: Ref<Doctor>?
  static let schema = Schema<Patient> {
    Property(\.diagnosisName, .unique)
    \.device
    Property(\.measured, .indexed)
    \.image
    \.visits
    Relation(\.doctor)
  }
}

private struct Visit: Codable, Equatable, Sendable {
  var roomNumber: String
  var date: Date
}

private struct Doctor: Entity, Codable, Equatable {
  let id: Int
  var nickname: String
  static let schema = Schema<Doctor> { \.nickname }
}

/// What can be found in the bytes of files without a key.
@Suite(.timeLimit(.minutes(10))) struct `What encrypted files show` {
  private let folder: Folder
  private let key = SymmetricKey(size: .bits256)
  private static let device = UUID()
  private static let measured = 0x5EC2_E7A1_B2C3_D4E5
  /// Whatever of the objects can be recognised, as SQLite would store it.
  private static let secrets: [Data] =
    [
      "identity-", "diagnosis-", "roomNumber", "diagnosisName", "device", "measured", "image", "visits",
      "doctor",
      "nickname", "room-", "visit-", "nick-", "2027-03-04", "\"id\"", "seed-secret", "gone-",
    ].map { Data($0.utf8) } + [
      withUnsafeBytes(of: device.uuid) { Data($0) }, withUnsafeBytes(of: measured.bigEndian) { Data($0) },
      withUnsafeBytes(of: measured.littleEndian) { Data($0) }, Data("\(measured)".utf8),
      Data(device.uuidString.utf8), Data(repeating: 0xA7, count: 8),
    ]

  init() throws { folder = try Folder() }

  private func patient(_ number: Int) -> Patient {
    Patient(
      id: "identity-\(number)", diagnosisName: "diagnosis-\(number)", device: Self.device,
      measured: Self.measured, image: Data(repeating: 0xA7, count: number % 7 == 0 ? 9_000 : 40),
      visits: [
        "visit-\(number)": Visit(roomNumber: "room-1", date: Date(timeIntervalSince1970: 1_804_150_000))
      ], doctor: Ref(number % 3))
  }

  private func open(_ key: SymmetricKey?, at url: URL? = nil) async throws -> StoreFile {
    try await StoreFile.open(
      at: url ?? folder.file, Patient.self, Doctor.self, options: .init(key: key))
  }

  private func fill(_ file: StoreFile) async throws {
    try await file.write { tx in
      for number in 0..<3 { try tx.insert(Doctor(id: number, nickname: "nick-\(number)")) }
      for number in 0..<60 { try tx.insert(patient(number)) }
    }
    // Pages that become free have objects, too.
    try await file.write { tx in
      for number in 60..<90 {
        var gone = patient(number)
        gone.diagnosisName = "gone-\(number)"
        try tx.insert(gone)
      }
    }
    try await file.write { tx in for number in 55..<90 { try tx.delete(Patient.self, "identity-\(number)") } }
    try await file.write { tx in
      for number in 0..<10 { try tx.update(Patient.self, "identity-\(number)") { $0.measured += 0 } }
    }
  }

  /// The secrets in the files of the folder, each with the name of its file.
  private func found() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted().flatMap { name in
      let bytes = try Data(contentsOf: folder.url.appendingPathComponent(name))
      return Self.secrets.filter { bytes.range(of: $0) != nil }.map {
        "\(name): \(String(decoding: $0, as: UTF8.self))"
      }
    }
  }

  @Test func `a plain file shows each of them, so that the others are known not to`() async throws {
    let file = try await open(nil)
    try await fill(file)
    let names = Set(try found().map { $0.drop { $0 != ":" } })
    // Not the integer's other order and text, the UUID's text, JSON's end of a name, and a seed.
    #expect(names.count >= Self.secrets.count - 5, "\(names)")
    try await file.close()
  }

  @Test func `neither the file nor its log nor a backup shows values or names of properties`() async throws {
    let file = try await open(key)
    try await fill(file)
    let log = try Data(contentsOf: URL(filePath: folder.file.path + "-wal"))
    #expect(log.count > 50_000)
    #expect(try found() == [])
    try await file.backup(to: folder.url.appendingPathComponent("backup.db"))
    #expect(try found() == [])
    try await file.compact()
    #expect(try found() == [])
    try await file.changeKey(to: SymmetricKey(size: .bits128))
    #expect(try found() == [])
    try await file.close()
    #expect(try found() == [])
    let backup = try await open(key, at: folder.url.appendingPathComponent("backup.db"))
    #expect(backup.store.count(Patient.all) == 55)
    try await backup.close()
  }

  @Test func `once changeKey has encrypted a plain file nothing in its folder shows objects`() async throws {
    let file = try await open(nil)
    try await fill(file)
    try await file.changeKey(to: key)
    #expect(try found() == [])
    try await file.write { tx in try tx.insert(patient(100)) }
    #expect(try found() == [])
    try await file.close()
    #expect(try found() == [])
  }

  @Test func `nothing in the folder shows objects that were written while changeKey encrypted a plain file`()
    async throws
  {
    let file = try await open(nil)
    try await fill(file)
    try await KeyChangePortions.of(rows: 7) { [other = patient(0)] number in
      try? await file.write { tx in
        var new = Patient(
          id: "identity-\(100 + number)", diagnosisName: "diagnosis-\(100 + number)", device: other.device,
          measured: other.measured, image: Data(repeating: 0xA7, count: 9_000), visits: other.visits)
        new.doctor = Ref(0)
        try tx.insert(new)
        try tx.delete(Patient.self, "identity-\(number % 55)")
      }
    } _: {
      try await file.changeKey(to: key)
    }
    #expect(file.store.count(Patient.where { $0.doctor == Ref(0) }) > 10)
    #expect(try found() == [])
    try await file.close()
    #expect(try found() == [])
  }

  @Test func `pages that a plain file has given up show nothing once it is encrypted`() async throws {
    let file = try await open(nil)
    try await fill(file)
    try await file.write { tx in try tx.deleteAll() }
    try await file.write { tx in try tx.insert(Doctor(id: 1, nickname: "nick")) }
    try await file.changeKey(to: key)
    #expect(try found() == [])
    try await file.close()
    #expect(try found() == [])
  }

  /// What SQLite leaves of tables in the list of them, where it overwrites nothing that it deletes.
  @Test func `the names that a plain file once had in its list of tables are gone when it is encrypted`()
    async throws
  {
    let file = try await open(nil)
    try await fill(file)
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA secure_delete = OFF")
      for number in 0..<20 {
        try db.execute(sql: "CREATE TABLE gone\(number) (\"diagnosisName\", \"gone-name\(number)\")")
      }
      for number in 0..<20 { try db.execute(sql: "DROP TABLE gone\(number)") }
    }
    try queue.close()
    #expect(try found().contains { $0.contains("gone-") })
    try await file.changeKey(to: key)
    #expect(try found() == [])
    try await file.close()
    #expect(try found() == [])
  }

  @Test func `a plain seed is encrypted when it is copied`() async throws {
    let other = try Folder()
    let seed = try await open(nil, at: other.file)
    try await fill(seed)
    try await seed.close()
    let file = try await StoreFile.open(
      at: folder.file, Patient.self, Doctor.self, seededFrom: other.file, options: .init(key: key))
    #expect(file.store.count(Patient.all) == 55)
    #expect(try found() == [])
    try await file.close()
  }

  @Test func `a repair of an encrypted file shows nothing`() async throws {
    let file = try await open(key)
    try await fill(file)
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.write { db in try db.execute(sql: "UPDATE Patient SET _sealed = x'00' WHERE _place = 4") }
    try queue.close()
    let repaired = try await StoreFile.open(
      at: folder.file, Patient.self, Doctor.self, options: .init(key: key, repair: .skipDamagedRows))
    #expect(repaired.damagedRows.map(\.row) == [4])
    #expect(try found() == [])
    try await repaired.close()
  }

  @Test
  func `while another program reads, changeKey fails after the change and says so, and compact completes it`()
    async throws
  {
    let file = try await open(nil)
    try await fill(file)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.readonly = true
    let reader = try DatabaseQueue(path: folder.file.path, configuration: configuration)
    try await reader.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN")
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM Patient")
    }
    let error = await #expect(throws: StoreFileError.self) { try await file.changeKey(to: key) }
    #expect(error?.code == .ioFailed && error?.message.contains("The key was changed") == true)
    // Writing goes on, with the new key.
    try await file.write { tx in try tx.insert(patient(100)) }
    try await reader.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    try reader.close()
    try await file.compact()
    #expect(try found() == [])
    try await file.close()
    let again = try await open(key)
    #expect(again.store.count(Patient.all) == 56)
    try await again.close()
  }
}
