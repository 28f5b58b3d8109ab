import LiveStore

/// Small work under `valgrind --tool=callgrind`, each piece once by LiveStore and once by a standard collection.
@main
struct Regressions {
  static func main() throws {
    let count = 20_000
    let items = (0..<count).map { Item($0) }
    let probes = (0..<count).map { scattered($0) % count }
    let few = Array(probes.prefix(1_000))

    let store = try storeLoad(items)
    var dictionary = peerLoad(items)
    let snapshot = store.snapshot()
    try check(storeLookup(snapshot, probes) == peerLookup(dictionary, probes))
    try check(storeScan(snapshot, 500_000) == peerScan(items, 500_000))
    try check(storeText(snapshot, "row 12") == peerText(items, "row 12"))
    try check(storeFilter(snapshot, 500_000) == peerFilter(items, 500_000).count)
    let sorted = peerSort(items)
    try check(storeSort(snapshot) == sorted.first?.id)
    try check(storeSum(snapshot, 500_000) == peerSum(items, 500_000))
    try indexed(count, sorted, few)

    try storeUpdate(store, few)
    peerUpdate(&dictionary, few)
    try check(storeLookup(store.snapshot(), [few[0]]) == peerLookup(dictionary, [few[0]]))
    try live(items, few)
    let deleted = Array(0..<count / 2)
    try storeDelete(store, deleted)
    peerDelete(&dictionary, deleted)
    try check(store.count(Item.all) == dictionary.count)
  }

  private static func indexed(_ count: Int, _ sorted: [Item], _ few: [Int]) throws {
    let store = try storeLoadIndexed((0..<count).map { Indexed($0) })
    let starts = few.prefix(200).map { scattered($0) }
    try check(storePage(store.snapshot(), starts) == peerPage(sorted, starts))
    try storeUpdateIndexed(store, few)
  }

  private static func live(_ items: [Item], _ few: [Int]) throws {
    let store = try storeLoad(items)
    let query = Item.where { $0.score < 500_000 }.sorted(by: \.score)
    let observer = try store.subscribe(query)
    let iterator = observer.changes.makeAsyncIterator()
    try check(try storeLive(store, query, Array(few.prefix(300))) > 0)
    withExtendedLifetime(iterator) {}
  }

  /// Whether both sides found the same.
  private static func check(_ condition: Bool) throws {
    if !condition { throw Mismatch() }
  }
}

struct Mismatch: Error {}
