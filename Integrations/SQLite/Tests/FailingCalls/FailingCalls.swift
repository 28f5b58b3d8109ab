import CFailingCalls
import SQLiteTestSupport

/// Calls to the system that fail when a test asks for it: those that concern files under one folder, by SQLite, Foundation
/// and the code under test. `failing_calls.h` says how it works.
///
///     try await FailingCalls.exclusively(under: folder) {
///       FailingCalls.fail(atCall: 7, of: .write, .error(ENOSPC), staysFailed: true)
///       // … works with files under the folder until something fails …
///       FailingCalls.disarm()
///     }
public enum FailingCalls {
  /// Kinds of calls.
  public struct Kinds: OptionSet, Hashable, Sendable {
    /// The kinds as bits, as in `failing_calls.h`.
    public let rawValue: UInt32

    /// The kinds of some bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Opening a file that is there, also a folder.
    public static let open = Kinds(rawValue: UInt32(FAILING_CALLS_OPEN))
    /// Opening a file that is not there, to make it.
    public static let make = Kinds(rawValue: UInt32(FAILING_CALLS_MAKE))
    /// Reading bytes.
    public static let read = Kinds(rawValue: UInt32(FAILING_CALLS_READ))
    /// Writing bytes.
    public static let write = Kinds(rawValue: UInt32(FAILING_CALLS_WRITE))
    /// Having a file or a folder reach the disk.
    public static let sync = Kinds(rawValue: UInt32(FAILING_CALLS_SYNC))
    /// Changing the size of a file.
    public static let truncate = Kinds(rawValue: UInt32(FAILING_CALLS_TRUNCATE))
    /// Taking a lock.
    public static let lock = Kinds(rawValue: UInt32(FAILING_CALLS_LOCK))
    /// Removing a file.
    public static let remove = Kinds(rawValue: UInt32(FAILING_CALLS_REMOVE))
    /// Renaming a file, or giving it a second name.
    public static let rename = Kinds(rawValue: UInt32(FAILING_CALLS_RENAME))
    /// Mapping shared memory.
    public static let map = Kinds(rawValue: UInt32(FAILING_CALLS_MAP))
    /// Asking whether there is a file, and what it is.
    public static let status = Kinds(rawValue: UInt32(FAILING_CALLS_STATUS))
  }

  /// How a call fails.
  public enum Failure: Hashable, Sendable {
    /// With an error number.
    case error(Int32)
    /// It reads or writes about half of its bytes, of which there must be more than one.
    case short
  }

  /// Whether calls can fail in this program: on Linux, without a sanitizer.
  public static var areAvailable: Bool { failing_calls_are_available() }

  /// Lets a call of some kinds fail: the `n`-th from now, counting from 1; if the failure stays, all later ones, too.
  public static func fail(atCall n: Int, of kinds: Kinds, _ failure: Failure, staysFailed: Bool) {
    let error: Int32 = if case .error(let number) = failure { number } else { 0 }
    failing_calls_fail(Int64(n), kinds.rawValue, error, staysFailed)
  }

  /// Lets nothing fail from now on. The counts stay.
  public static func disarm() { failing_calls_disarm() }

  /// Runs a body whose calls neither count nor fail. Nothing else may work under the folder meanwhile.
  public static func pausing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    failing_calls_pause(true)
    defer { failing_calls_pause(false) }
    return try await body()
  }

  /// How many calls of some kinds were made since a failure was last armed, those that failed included.
  public static func count(_ kinds: Kinds) -> Int { Int(failing_calls_count(kinds.rawValue)) }

  /// How many calls failed since a failure was last armed.
  public static var failed: Int { Int(failing_calls_failed()) }

  /// Watches a folder, which has no symbolic link in its path, and runs a test while no other one that came here runs.
  public static func exclusively<Result>(
    under folder: String, _ body: () async throws -> Result
  ) async throws -> Result {
    await queue.enter()
    failing_calls_watch(folder)
    let result: Result
    do {
      result = try await body()
    } catch {
      failing_calls_watch(nil)
      await queue.leave()
      throw error
    }
    failing_calls_watch(nil)
    await queue.leave()
    return result
  }

  private static let queue = TestQueue()
}
