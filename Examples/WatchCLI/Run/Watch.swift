import Foundation
import LiveStore

/// Reads documents into a store and reports a live query over them.
///
/// A version is written once the previous one has been printed, and the tool waits for input only when everything has
/// been printed. So a slow reader of the output slows down reading instead of filling memory, no old version is held,
/// and everything read is shown before the tool waits for more. While a version is written and printed, the next
/// documents of a file are read. A line through a pipe is read, written and printed by one thread, since waking another
/// takes longer than all of that.
package struct Watch: ~Copyable {
  private let options: WatchOptions
  /// What is watched, and the objects that are grouped.
  private let query, groupedQuery: Query<Document>
  private let store: Store
  private let reporter: Reporter
  /// The groups, if objects are grouped.
  private let keeper: GroupKeeper?
  private let commands: CommandRunner?
  /// Takes what has been written into the groups, prints it, and offers it to commands.
  private let update: @Sendable () -> Void
  private let progress: ProgressMeter?
  private let linger: () throws(Exit) -> Void
  private var reader: BatchReader
  private var expiry: Expiry?
  /// Whether the result has had another number of objects than the one that ends the input, and whether it has that.
  private var count = (wasOther: false, isMet: false)
  /// The last write, as long as it may be running.
  private var writing: Task<Void, any Error>?

  /// A watch at the beginning of its input.
  ///
  /// - Parameters:
  ///   - commands: what is run for each version, if anything.
  ///   - progress: shows how far reading has come.
  ///   - onWaiting: called with a message for each file that is followed and not there yet.
  ///   - onBadLine: called for each line that is not a document, besides counting it.
  ///   - linger: called at the end of the input, when everything has been shown.
  package init(
    _ options: WatchOptions, reporter: Reporter, commands: CommandRunner? = nil,
    progress: ProgressMeter? = nil, onWaiting: @escaping (String) -> Void = { _ in },
    onBadLine: @escaping (BadLine) -> Void,
    linger: @escaping () throws(Exit) -> Void = {}
  ) throws {
    for file in options.inputFiles { try InputFile.check(file, isAwaited: options.isFollowing) }
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    let store = try Store(Document.self, configuration: configuration)
    let keeper = try options.groups.map { try GroupKeeper($0, of: options.groupMembers) }
    let isStrict = options.strict
    self.options = options
    expiry = options.expiry.map { Expiry(seconds: $0, now: .now) }
    count.wasOther = options.endCount?.isMet(by: 0) == false
    (query, groupedQuery) = (options.query, options.groupedQuery)
    self.store = store
    self.reporter = reporter
    self.keeper = keeper
    self.linger = linger
    self.commands = commands
    self.progress = progress
    let shown = (query: keeper == nil ? query : options.groupQuery, store: keeper?.store ?? store)
    if options.groupMembers == nil { keeper?.follow(groupedQuery, of: store) }
    reporter.follow(shown.query, of: shown.store, mode: .latest)
    let offered = shown.store.changes(of: shown.query).makeAsyncIterator()
    update = {
      keeper?.update()
      reporter.update()
      guard let commands else { return }
      while let change = offered.nextIfReady() { change.results.map(commands.offer) }
    }
    reader = BatchReader(
      files: options.inputFiles, onWaiting: options.isFollowing ? onWaiting : nil, rules: options.inputRules,
      batch: options.lineBatch,
      batchTime: options.batchTime,
      unseen: UnseenPaths(options.namedPaths), progress: progress
    ) { line in
      onBadLine(line)
      return !isStrict
    }
  }

  /// Runs to the end of the input, or to an earlier end.
  package mutating func run() async -> Exit {
    let end = await runToEnd()
    progress?.finish(lines: reader.tally.lines, bytes: reader.byteCount)
    return end
  }

  private mutating func runToEnd() async -> Exit {
    do {
      if options.once { try await readAndPrint() } else { try await readAndReport() }
      try await finishCommands()
      return end.adding(hints + (keeper?.hints ?? []))
    } catch let exit as Exit {
      _ = await writing?.result
      commands?.stop()
      await commands?.finish()
      let isStopped = [.interrupted, .terminated, .hungUp, .timedOut].contains(exit.status)
      return isStopped ? exit.summarized(summary).adding(hints) : exit
    } catch {
      return Exit(.software, "\(error)")
    }
  }

  /// Reports the result after the first transaction, and then the changes of each.
  private mutating func readAndReport() async throws {
    var hasReported = false
    while true {
      let mayWait = reader.mustWait
      if mayWait {
        try await catchUp()
        let isIdle = !reader.isReady
        if isIdle { try reporter.printTable() }
        if hasReported, hasEndCount(isIdle: isIdle) { break }
      }
      guard let changes = try nextChanges() else { break }
      if !mayWait {
        try await catchUp()
        if hasReported, hasEndCount(isIdle: false) { break }
      }
      if changes.isEmpty {
        keeper?.advance(to: Date())
        if hasReported { update() }
        continue
      }
      let report: @Sendable () throws -> Void = { [store, membersKeeper, update] in
        try Self.write(changes, to: store, membersKeeper)
        update()
      }
      // Another thread is of use only where something can be read meanwhile.
      let isAlone = reader.mustWait && !reader.isReady
      if !hasReported { expectColumns() }
      if hasReported, !isAlone { writing = Task { try report() } } else { try report() }
      if !hasReported { explain() }
      hasReported = true
    }
    try await catchUp()
    // Without any input, the empty result is reported.
    if !hasReported { expectColumns() }
    update()
    try await catchUp()
    try reporter.printTable()
    progress?.finish(lines: reader.tally.lines, bytes: reader.byteCount)
    if !hasEndCount(isIdle: true), !reader.tally.hasStopped, !reader.tally.isMet { try linger() }
  }

  /// Whether the result has as many objects as end the input: once it had another number, or if there is nothing to read.
  private mutating func hasEndCount(isIdle: Bool) -> Bool {
    guard let condition = options.endCount else { return false }
    let isMet = condition.isMet(by: reporter.count)
    if !isMet { count.wasOther = true }
    count.isMet = isMet && (count.wasOther || isIdle)
    return count.isMet
  }

  /// Has columns printed that no object of the result has: those of rows, or of groups.
  private func expectColumns() {
    reporter.expect(options.groups?.titles.map { [$0] } ?? reader.columns)
  }

  /// Waits for the last command.
  private func finishCommands() async throws(Exit) {
    guard let commands else { return }
    await commands.finish()
    // The user who quits a table wants to see the end of the input, too.
    if Interrupts.isInterrupted, Interrupts.exit.status != .success { throw Interrupts.exit }
  }

  /// Says how the query is evaluated, if that is asked for.
  private func explain() {
    guard options.explains else { return }
    let explained = options.isGrouped ? groupedQuery : query
    let line = Help.line(
      "plan: \(options.groupMembers?.plan ?? "\(explained.explain(in: store.snapshot()))")")
    guard let progress else { return OutputWriter.report(line) }
    progress.hidden { OutputWriter.report(line) }
  }

  /// Waits until everything written has been printed.
  private mutating func catchUp() async throws {
    try await writing.take()?.value
    if let failure = reporter.failure { throw failure }
    if let failure = keeper?.failure { throw Exit(failure) }
  }

  /// Reads everything and then prints the result; if it is stopped, that of what has been read.
  private mutating func readAndPrint() async throws {
    var stop: Exit?
    do {
      try await writeAll()
    } catch let exit as Exit where [.interrupted, .terminated, .timedOut].contains(exit.status) {
      stop = exit
      Interrupts.answer()
    }
    explain()
    expectColumns()
    if reader.tally.hasStopped { return }
    progress?.finish(lines: reader.tally.lines, bytes: reader.byteCount)
    let results: Results<Document>
    if let keeper {
      keeper.update()
      if let failure = keeper.failure { throw Exit(failure) }
      results = keeper.store.snapshot().fetch(options.groupQuery)
    } else {
      results = store.snapshot().fetch(query)
    }
    try reporter.print(results)
    if let stop { throw stop }
    commands?.offer(results)
  }

  /// Writes everything as one version: none in between is seen, so none is kept. What was read before an error is
  /// written, too.
  private mutating func writeAll() async throws {
    if options.groupMembers != nil, let keeper {
      while let changes = try nextChanges() {
        keeper.take(changes)
      }
      return
    }
    let store = store
    var failure: Exit?
    try await store.write { tx in
      do {
        while let changes = try nextChanges() { try tx.apply(changes) }
      } catch let exit as Exit {
        failure = exit
      }
    }
    if let failure { throw failure }
  }

  private mutating func nextChanges() throws(Exit) -> [InputChange]? {
    if Interrupts.isInterrupted { throw Interrupts.exit }
    // Trends move on where nothing is read.
    let window = options.showsChart ? options.every.flatMap { $0.isByArrival ? $0.nextEnd : nil } : nil
    guard let changes = try reader.next(until: [expiry?.next, window].compactMap(\.self).min()) else {
      return nil
    }
    expiry?.apply(changes, now: .now)
    return changes + (expiry?.removals(now: .now) ?? [])
  }

  /// The groups, if they are totalled without a store of their objects.
  private var membersKeeper: GroupKeeper? { options.groupMembers == nil ? nil : keeper }

  private static func write(_ changes: [InputChange], to store: Store, _ keeper: GroupKeeper?) throws {
    if let keeper { keeper.take(changes) } else { try store.write { try $0.apply(changes) } }
  }
}

extension Watch {
  /// The exit when nothing failed except lines.
  private var end: Exit {
    let tally = reader.tally
    if tally.hasStopped { return Exit(.badLine, "stopped at the first bad line") }
    if options.end != nil || options.endCount != nil, !tally.isMet, !count.isMet {
      let option =
        options.end != nil ? "--until" : options.endCount == .empty ? "--until-empty" : "--until-count"
      return Exit(.notMet, "the input ended before \(option) was met")
    }
    if tally.badLines == 0 { return Exit(.success) }
    let lines = "\(tally.badLines) bad line\(tally.badLines == 1 ? "" : "s")"
    if tally.badLines == tally.lines { return Exit(.badInput, "\(lines), and no other") }
    return Exit(.success, "\(lines) skipped")
  }

  private var summary: String {
    "\(reader.tally.summary), version \((keeper?.store ?? store).version), \(reporter.count) in the result"
  }

  /// Suggestions for options that match nothing in the input.
  private var hints: [String] {
    let tally = reader.tally
    if tally.lines > tally.badLines {
      return (reader.unseen.hints + reader.unseen.mixedKinds(readAs: options.format)).map(Help.line)
    }
    if tally.lines == 0 { return [] }
    let keys = reader.keyless.hint(for: options.objectKey)
    // What has been read as JSON objects is that.
    if options.format == .json, let keys { return [Help.line(keys)] }
    return (InputGuess(reader.beginning, readAs: options.format).hint ?? keys).map { [Help.line($0)] } ?? []
  }
}
