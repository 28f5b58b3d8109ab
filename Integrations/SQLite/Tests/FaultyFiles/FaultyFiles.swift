import CFaultyVFS
import SQLiteTestSupport

/// Files of SQLite databases that lose power and fail when a test asks for it.
///
/// A VFS becomes the default of the process and treats the files under one folder; all other files are left alone.
/// `faulty_vfs.h` says how it works and what it stands for. A test runs part of a scenario, loses power, restarts, and
/// checks what is left:
///
///     try await FaultyFiles.exclusively(under: folder) {
///       FaultyFiles.losePower(atCall: 7)
///       // … opens a database under the folder and works until something fails …
///       try FaultyFiles.restart(.subset(seed: 1))
///       // … opens the database again and checks it …
///     }
///
/// There is one state for the process. Tests that run in parallel run one after the other with ``exclusively(under:_:)``.
public enum FaultyFiles {
  /// What a power loss leaves of the writes, truncations, creations and deletions that were not synced.
  public enum Loss: Hashable, Sendable {
    /// Nothing.
    case unsynced
    /// The first ones, in the order in which they were made across all files; the last of these is mostly torn.
    case prefix(seed: UInt64)
    /// Any of them, each kept, dropped or torn.
    case subset(seed: UInt64)
  }

  /// How a call fails.
  public enum Failure: Hashable, Sendable {
    /// An error of the device. Nothing reaches the file, and what a failed sync should have made durable stays
    /// uncertain until it is written again.
    case io
    /// No space is left. Only writes fail, after half their bytes reached the file.
    case full
  }

  /// How many calls that change files were made.
  public struct Calls: Hashable, Sendable {
    /// Writes, those that failed included, as in the other numbers.
    public var writes: Int
    /// Syncs of files.
    public var syncs: Int
    /// Truncations.
    public var truncations: Int
    /// Deletions of files that existed.
    public var deletions: Int
    /// How many of them failed because a test wanted it; the one that lost power does not count.
    public var failed: Int

    /// All that changed files or would have.
    public var total: Int { writes + syncs + truncations + deletions }
  }

  /// What became of the writes and truncations that were not synced, in the files that a restart left.
  public struct Remains: Hashable, Sendable {
    /// Those that are in the files.
    public var kept: Int
    /// The writes of which one part is.
    public var torn: Int
    /// Those that are not.
    public var dropped: Int
  }

  /// An error of the real file system.
  public struct SystemError: Error, Hashable {
    /// The value of `errno`.
    public var number: Int32
  }

  /// Treats the files under a folder, which must exist, from now on, and forgets everything from before.
  ///
  /// Connections opened from now on without naming a VFS use it. Those opened before, after an earlier call, fail from
  /// now on; they can still be closed.
  public static func install(under folder: String) throws(SystemError) {
    try check(faulty_vfs_install(folder))
  }

  /// How many temporary files SQLite has opened, under any folder.
  public static var temporaryFiles: Int { Int(faulty_vfs_temporary_files()) }

  /// Loses power in the middle of a call that changes a file: the `n`-th from now, counting from 1.
  ///
  /// That call and all later ones fail until ``restart(_:)``.
  public static func losePower(atCall n: Int) { faulty_vfs_lose_power_at(Int64(n)) }

  /// Loses power between two calls.
  public static func losePowerNow() { faulty_vfs_lose_power_now() }

  /// Whether the power was lost since the last restart.
  public static var hasLostPower: Bool { faulty_vfs_has_lost_power() }

  /// Leaves on disk what a power loss leaves, and goes on normally, with nothing armed.
  ///
  /// If the power was not lost, it is now. Connections from before fail for good; they may be closed before, later or
  /// never.
  @discardableResult
  public static func restart(_ loss: Loss) throws(SystemError) -> Remains {
    var remains = faulty_vfs_remains()
    let error =
      switch loss {
      case .unsynced: faulty_vfs_restart(FAULTY_VFS_LOSS_UNSYNCED, 0, &remains)
      case .prefix(let seed): faulty_vfs_restart(FAULTY_VFS_LOSS_PREFIX, seed, &remains)
      case .subset(let seed): faulty_vfs_restart(FAULTY_VFS_LOSS_SUBSET, seed, &remains)
      }
    try check(error)
    return Remains(kept: Int(remains.kept), torn: Int(remains.torn), dropped: Int(remains.dropped))
  }

  /// Lets a call that changes a file fail: the `n`-th from now, counting from 1.
  ///
  /// On a full disk it is the first write from the `n`-th call on. If the failure stays, all calls, or writes, from
  /// then on fail.
  public static func fail(atCall n: Int, _ failure: Failure, staysFailed: Bool) {
    let kind =
      switch failure {
      case .io: FAULTY_VFS_FAILURE_IO
      case .full: FAULTY_VFS_FAILURE_FULL
      }
    faulty_vfs_fail_at(Int64(n), kind, staysFailed)
  }

  /// Lets nothing fail from now on, unless the power is already lost. The numbers of calls stay.
  public static func disarm() { faulty_vfs_disarm() }

  /// The calls since ``install(under:)``, ``restart(_:)``, ``losePower(atCall:)`` or ``fail(atCall:_:staysFailed:)``,
  /// whichever was last.
  public static var calls: Calls {
    let calls = faulty_vfs_calls()
    return Calls(
      writes: Int(calls.writes), syncs: Int(calls.syncs), truncations: Int(calls.truncations),
      deletions: Int(calls.deletions), failed: Int(calls.failed))
  }

  /// Installs and runs a test while no other one that came here runs.
  public static func exclusively<Result>(
    under folder: String, _ body: () async throws -> Result
  ) async throws -> Result {
    await queue.enter()
    let result: Result
    do {
      try install(under: folder)
      result = try await body()
    } catch {
      disarm()
      await queue.leave()
      throw error
    }
    disarm()
    await queue.leave()
    return result
  }

  private static let queue = TestQueue()

  private static func check(_ error: Int32) throws(SystemError) {
    if error != 0 { throw SystemError(number: error) }
  }
}
