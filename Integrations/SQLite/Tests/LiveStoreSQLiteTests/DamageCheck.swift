import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// Opens and repairs a copy of a file that was damaged.
struct DamageCheck {
  private let original: Model
  private let damage: Damage
  private let key: SymmetricKey?
  private let folder: Folder
  /// The entities that the repair names.
  private let naming: Naming

  init(_ file: DamagedFile, _ damage: Damage, _ random: inout SplitMix64) throws {
    (original, key, self.damage) = (file.model, file.key, damage)
    folder = try Folder()
    naming = random.chance(1, in: 4) ? random.pick(Naming.allCases) : .all
    try Data(damage.bytes).write(to: folder.file)
  }

  /// Returns what became of the file.
  func run() async throws -> String {
    let refusal = try await opens(naming, "opening")
    let isHarmless = refusal == nil
    if !isHarmless {
      // The file is as it was, whatever was tried.
      let bytes = [UInt8](try Data(contentsOf: folder.file))
      try require(bytes == damage.bytes, "an opening that failed has changed the file")
    }
    let repaired: StoreFile
    do {
      repaired = try await naming.open(at: folder.file, .init(key: key, repair: .skipDamagedRows))
    } catch let error as StoreFileError {
      try require(!isHarmless, "repairing fails where opening does not: \(error)")
      return "refused, \(error.code)"
    } catch {
      throw Mismatch("repairing throws \(type(of: error)) \(error)")
    }
    let missing = try kept(repaired, naming, "repaired")
    if isHarmless {
      try require(missing.isEmpty && repaired.damagedRows.isEmpty, "a repair where opening succeeds")
    } else {
      // The damaged file is kept beside the new one. Where the damage is not in a row, none may be needed.
      let kept = try? Data(contentsOf: URL(filePath: folder.file.path + "-damaged"))
      let isOld = kept == nil && repaired.damagedRows.isEmpty
      try require(
        isOld || kept.map { [UInt8]($0) } == damage.bytes,
        """
        the damaged file was \(kept == nil ? "not kept" : "changed") by a repair with damaged rows \
        \(repaired.damagedRows), missing in \(missing)
        """)
    }
    do {
      try await goOn(repaired)
    } catch {
      throw Mismatch("\(error); before the repair: \(refusal.map(\.description) ?? "harmless")")
    }
    return isHarmless ? "harmless" : "repaired"
  }

  /// Opens the file, which must be as the original, or returns why that is refused.
  private func opens(_ naming: Naming, _ place: String) async throws -> StoreFileError? {
    do {
      let file = try await naming.open(at: folder.file, .init(key: key))
      try original.check(file.store, naming, place)
      try require(file.damagedRows.isEmpty, "\(place): \(file.damagedRows)")
      try await file.close()
      return nil
    } catch let error as StoreFileError {
      return error
    } catch let error as StoreError {
      throw Mismatch("\(place) throws StoreError \(error)")
    }
  }

  /// The tables that have lost objects; throws if a file has anything else, or does not say so.
  private func kept(_ file: StoreFile, _ naming: Naming, _ place: String) throws -> Set<String> {
    let found = Model(of: file.store.snapshot(), naming)
    try found.check(file.store, naming, place)
    let missing = try found.missing(from: original.part(naming), place)
    let reported = Set(file.damagedRows.map(\.table))
    try require(
      missing.isSubset(of: reported), "\(place): missing in \(missing), reported are \(file.damagedRows)")
    return missing
  }

  /// A repaired file is as any other, also for the entities that were not named.
  private func goOn(_ repaired: StoreFile) async throws {
    let reported = Set(repaired.damagedRows.map(\.table))
    var model = Model(of: repaired.store.snapshot(), naming)
    try await repaired.close()

    let file = try await naming.open(at: folder.file, .init(key: key))
    try model.check(file.store, naming, "opened after the repair")
    try require(file.damagedRows.isEmpty, "opened after the repair: \(file.damagedRows)")
    if naming.hasGroups {
      try await file.write { tx in
        try tx.upsert(Group(id: -1, order: 1, rowid: "new"))
        try tx.delete(Group.where { $0.order == 2 })
      }
    } else {
      try await file.write { tx in
        try tx.upsert(Team(id: "new", name: "new"))
        try tx.update(Team.all) { $0.motto = "other" }
      }
    }
    model = Model(of: file.store.snapshot(), naming)
    try await file.close()

    let again = try await naming.open(at: folder.file, .init(key: key))
    try model.check(again.store, naming, "written after the repair")
    try await again.close()
    if naming == .all || naming == .reversed { return }

    // The others: all there, or an error, or reported before.
    let rest: StoreFile
    do {
      rest = try await Naming.all.open(at: folder.file, .init(key: key))
    } catch is StoreFileError {
      return
    }
    let found = Model(of: rest.store.snapshot(), .all)
    try model.checkSame(as: found.part(naming), "all entities after a repair of some")
    var others = found
    if naming.hasLinked { (others.teams, others.members) = (original.teams, original.members) }
    if naming.hasJobs { others.jobs = original.jobs }
    if naming.hasGroups { others.groups = original.groups }
    if naming.hasCounts { others.counts = original.counts }
    let missing = try others.missing(from: original, "the others after a repair")
    try require(
      missing.isSubset(of: reported),
      "missing in \(missing) after a repair of \(naming), reported are \(reported)")
    try await rest.close()
  }
}
