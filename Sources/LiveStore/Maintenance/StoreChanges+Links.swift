// Queries across tables.
//
// A term has **chains** (`Term.chains`): hops over links (forward, where the row holds the link: `$0.author`;
// backward, to rows that link to it: `$0.linking(\Article.author)`) and the value that is read at the end, if
// there is one. A query's *named values* are the values that its filters, its sort keys and `tracking`
// compare: of `$0.author.name == "x"` the name, of `contains { … }` whether some row passes, of `.count` the
// number. The rows on the way are not named.
//
// - **V1** Every entry of a linked query is stamped with the number of a state at which its named values
//   were what they are now, with the highest bit set; so entries of equal stamps have equal named values,
//   and equal values of their own. Upkeep stamps an entry with the state in which it is found to differ; an
//   evaluation stamps all with its state. That holds forward and backward in time. A differing stamp is
//   only a hint: two rows are compared by their listed properties and their named values, each in its own
//   state.
// - **V2** Tables that no version has (inside a transaction, a baseline with commits left out) have a number
//   that no other state has. With the number of the version they come from, V1 would not hold: a baseline may
//   read values that no version had. Results inside a transaction are compared by value and id: there a row
//   may be edited twice under one stamp.
// - **V3** A linked query never uses its table's own tree, whose stamps cover the row alone.
// - **V4** A row at the end of a hop matters to a chain when it was inserted or deleted, when it no longer
//   holds the same link that led to it (backward) or leads on (forward), or, at the last hop, when the listed
//   property differs that holds the value read there. Links are compared as values: two ids may have one hash.
// - **V5** From the rows that matter the way back goes over the same links, in the old *and* in the new
//   state: by the index of links for a hop forward, by reading the link for one backward. The owners found,
//   except those that changed themselves, are handed to queries as changed rows whose pointers lead to equal
//   objects. They are routed like any other, by the named value before and after (L3), so of a thousand
//   queries by an author's name, a rename reaches two.
// - **V6** An owner all of whose named values are the same keeps its stamp; if that holds for all, no
//   observer is woken.
// - **V7** The objects that lead to a named value are in one order: objects of a set or map in insertion
//   order. So equal links to equal objects give equal lists and sums.
// - **V8** At an excluded commit (E1), the tables of a baseline take over, from every table at the end of a
//   hop, the rows that they have as before the commit. Where rows of the query's own table are read over
//   links, too, a row enters the result only if its table has taken it over. Linked values of a baseline are
//   read in its tables. If a row that was taken over links to a row that others inserted or changed
//   meanwhile, its linked values differ from the true result. In both cases an excluded edit may be reported.
//   An edit by others is never hidden, except the deletion of a row that never entered the baseline: there is
//   nothing to report.
// - **V9** Which moves are reported depends on the query's own named values (C4), not on the `properties` of
//   an observer. These properties are tracked for the observer as well, and for a path over a link, both the
//   link at its beginning and the value are compared.
// - **V10** An observer of a query over something that is no relation in this store gets an error
//   (`invalidSchema`, `unknownEntity`) as its last event. So does one whose query reads an ignored
//   property, of which no commit reports a change, or groups rows over no relation. A fetch cannot fail: it
//   reads such a reference all the same, and finds no object that links by it.

// Source: backlinks. From changed rows back over links to the rows that read them.
//
// A chain of hops h1 … hn leads from rows of a query to rows of other tables. A row at the end of hop i
// matters when it was inserted or deleted, when the link that hop i + 1 follows differs, or, at the last hop,
// when the listed property differs that holds the value read. From these rows the way back goes over the same links, each from its index or
// by reading it, in the old and in the new state. So the cost follows the rows linked with a changed row.
//
// This stands before the operators of a query, since one search serves all queries that name the same hops.
// It keeps nothing, takes in the changes of all tables, and gives out rows with equal objects before and
// after. The operators find by the linked values whether such a row differs.

extension StoreChanges {
  /// The rows that changed, and rows whose linked values, of those that a query names, may have.
  func rows(for trees: MaintainedTrees) -> [RowChange] {
    let rows = rows(in: trees.table)
    if trees.linked.isEmpty { return rows }
    return rows + linkedRows(of: trees.table, trees.plan.chains)
  }

  /// The unchanged rows of a table from which some chain leads to a changed row.
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows that changed or, on the way, are linked with a changed row.
  func linkedRows(of table: Int, _ chains: some Collection<TermRead>) -> [RowChange] {
    var found: Set<UInt64> = []
    for chain in chains { found.formUnion(rows(at: chain)) }
    if found.isEmpty { return [] }
    for row in rows(in: table) { found.remove(row.row) }
    let (before, after) = (old.tables[table].rows, new.tables[table].rows)
    return found.sorted().map { row in
      RowChange(
        row: row, old: before.payload(first: row), new: after.payload(first: row), stamp: 0, isLinked: true)
    }
  }

  /// The rows from which a chain leads to a row that matters to it (V5).
  private func rows(at chain: TermRead) -> Set<UInt64> {
    var current: Set<UInt64> = []
    for depth in chain.hops.indices.reversed() {
      let hop = chain.hops[depth]
      guard let link = new.catalog.link(of: hop.source, hop.path),
        let target = new.catalog.index(of: new.catalog.entities[link.table].links[link.link].target)
      else { return [] }
      let end = hop.isBackward ? link.table : target
      let changed = rows(in: end)
      if !changed.isEmpty {
        let isSame = sameTest(chain, depth, link, end)
        for row in changed where row.old.flatMap({ old in row.new.map { isSame(old, $0) } }) != true {
          current.insert(row.row)
        }
      }
      if current.isEmpty { continue }
      current = hop.isBackward ? targets(of: current, link, target) : owners(of: current, link, target)
    }
    return current
  }

  /// A test whether all that matters of a row at the end of a hop is known to be the same before and after (V4).
  private func sameTest(
    _ chain: TermRead, _ depth: Int, _ link: IncomingLink, _ end: Int
  ) -> (UnsafeRawPointer, UnsafeRawPointer) -> Bool {
    let entities = new.catalog.entities
    var tests: [(UnsafeRawPointer, UnsafeRawPointer) -> Bool] = []
    if chain.hops[depth].isBackward { tests.append(entities[link.table].links[link.link].isSame) }
    if depth + 1 < chain.hops.count {
      let next = chain.hops[depth + 1]
      // Rows that link to it are themselves at the end of the next hop.
      if !next.isBackward, let found = new.catalog.link(of: next.source, next.path) {
        tests.append(entities[found.table].links[found.link].isSame)
      }
    } else {
      switch chain.value {
      case .existence: break
      case .property(let path): tests.append(entities[end].sameTest(of: path))
      case .anything: tests.append { _, _ in false }
      }
    }
    return { before, after in tests.allSatisfy { $0(before, after) } }
  }

  /// The rows that link to some rows of a table, before or after.
  private func owners(of rows: Set<UInt64>, _ link: IncomingLink, _ target: Int) -> Set<UInt64> {
    var owners: Set<UInt64> = []
    for state in [old, new] {
      let ids = state.catalog.entities[target].ids
      for row in rows {
        guard let object = state.tables[target].object(row) else { continue }
        // Links to other objects of the same hash do no harm: their owners are found to be unchanged.
        state.tables[link.table].forEachRow(link.link, listedUnder: ids.hash(object)) {
          owners.insert($0)
          return true
        }
      }
    }
    return owners
  }

  /// The rows that some rows link to, before or after.
  private func targets(of rows: Set<UInt64>, _ link: IncomingLink, _ target: Int) -> Set<UInt64> {
    var targets: Set<UInt64> = []
    for state in [old, new] {
      let info = state.catalog.entities[link.table].links[link.link]
      for row in rows {
        guard let object = state.tables[link.table].object(row) else { continue }
        for hash in info.hashes(object) {
          // As above.
          targets.formUnion(state.tables[target].rows(ofHash: hash))
        }
      }
    }
    return targets
  }
}
