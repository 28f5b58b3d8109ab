import Foundation
import Synchronization

/// All tables at one version, immutable and shared by everything that holds the version.
@usableFromInline
package final class StoreState: Sendable {
  package let version: Version
  @usableFromInline package let context: ReadContext
  /// Whether these are the tables of a running transaction. In them a row number and a stamp may stand for several
  /// objects and values in succession.
  let isProvisional: Bool
  /// Counts this state among the live versions.
  private let pins: VersionPins
  /// How many rows the next commit changed; `Int.max` until there is one.
  private let successorRows = Atomic(Int.max)
  /// When the next version was published; `Int.min` if that was not recorded.
  private let successorTime = Atomic(Int.min)

  package init(version: Version, context: ReadContext, pins: VersionPins, isProvisional: Bool = false) {
    assert(!context.tables.contains(where: \.hasPendingRows), "P2: a state has no pending rows")
    self.version = version
    self.context = context
    self.isProvisional = isProvisional
    self.pins = pins
    pins.add(version)
    LiveCounts.add(.states)
  }

  /// The same version with one more table at the end: the rows of a grouped result.
  func adding(_ table: TableState, of info: EntityInfo) -> StoreState {
    let catalog = Catalog(context.catalog, adding: info)
    return StoreState(
      version: version,
      context: ReadContext(catalog: catalog, tables: context.tables + [table], version: context.version),
      pins: pins, isProvisional: isProvisional)
  }

  /// Checks that row numbers and stamps mean the same in both: they are committed states of one store, which counts
  /// its versions in one place.
  ///
  /// - Throws: `differentStores`.
  func requireSameStore(as older: StoreState) throws(StoreError) {
    if pins === older.pins, !isProvisional, !older.isProvisional { return }
    throw StoreError(
      StoreError.differentStores,
      "Version \(older.version) and version \(version) are of different stores, or of a transaction that runs, and have no difference. Compare snapshots that one store gave."
    )
  }

  package var catalog: Catalog { context.catalog }
  package var tables: [TableState] { context.tables }

  /// Records how many rows the next commit replaces: freeing this state will free these.
  func supersede(byRows count: Int) { successorRows.store(count, ordering: .relaxed) }

  /// Records when the next version was published.
  func supersede(at time: RecordedTime) { successorTime.store(time.nanoseconds, ordering: .relaxed) }

  /// When the next version was published; nil if there is none, or if that was not recorded.
  var supersessionTime: RecordedTime? {
    let time = successorTime.load(ordering: .relaxed)
    return time == .min ? nil : RecordedTime(nanoseconds: time)
  }

  deinit {
    LiveCounts.remove(.states)
    let isNextAlive = pins.remove(version)
    // Freeing many nodes takes time, so it does not run on the caller's thread.
    let isSmall = isNextAlive && successorRows.load(ordering: .relaxed) < 256
    if !isSmall && Thread.isMainThread {
      let tables = context.tables
      DispatchQueue.global(qos: .utility).async { _ = tables }
    }
  }
}
