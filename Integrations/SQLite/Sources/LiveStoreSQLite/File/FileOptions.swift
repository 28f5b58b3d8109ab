public import Crypto
public import LiveStore

extension StoreFile {
  /// How a file is opened and written.
  public struct Options: Sendable {
    /// What becomes of a damaged file.
    public enum Repair: Sendable {
      /// Opening it is an error that names table and row.
      case none
      /// The rows that are whole are kept, and written to a new file under the name of the damaged one, which is kept with
      /// `-damaged` after its name (`-damaged-2` to `-damaged-9` those of later repairs, of which the last is replaced).
      /// ``StoreFile/damagedRows`` lists what is missing.
      ///
      /// A link to an object that is missing follows the delete rule of its relation: it is removed, or the object that
      /// must not be without it is left out, too. That can be done for the entities named at opening alone, so name them
      /// all.
      case skipDamagedRows
      /// As ``skipDamagedRows``, and rows that are whole but no objects of their types are left out and listed, too, as one
      /// that a newer version of the app wrote. Without it, one such row is the error `mismatch`, and shuts out all others.
      ///
      /// If all of several rows of an entity are such, a migration is missing: that stays the error `mismatch`.
      case skipUnreadableRows

      /// Whether it is done for an error at opening.
      func isFor(_ error: StoreFileError) -> Bool {
        switch self {
        case .none: false
        case .skipDamagedRows: error.code == .damaged
        case .skipUnreadableRows: error.code == .damaged || error.code == .mismatch && error.row != nil
        }
      }
    }

    /// When a version counts as durable.
    public enum Durability: Sendable {
      /// When it has reached the disk: it survives the loss of power.
      case full
      /// When it has been given to the system: it survives the end of the process, however sudden. When the power is
      /// lost, versions since the last checkpoint may be lost, the newest first; the file still has exactly one version.
      case normal
    }

    /// The key that the file is encrypted with; nil if it is not. It needs 128 bits at the least.
    public var key: SymmetricKey?
    /// How the objects of files that earlier versions of the app wrote follow its entities.
    public var migrations: [Migration]
    /// What becomes of a damaged file.
    public var repair: Repair
    /// When a version counts as durable.
    public var durability: Durability
    /// Whether the file is only read: it is not locked, and writes to the store throw `readOnly`.
    public var isReadOnly: Bool
    /// How long after a failure writing is tried again at first; each further failure doubles it, up to a hundred times.
    public var retryDelay: Duration
    /// How the store works, such as how many commits its history has, for `changes(of:since:)`.
    public var configuration: Store.Configuration
    /// Called now and then while the file is opened, with all that belongs to it: its check, migrations, a repair, reading.
    public var progress: (@Sendable (StoreFile.Progress) -> Void)?

    /// Options; each may be left out.
    public init(
      key: SymmetricKey? = nil, migrations: [Migration] = [], repair: Repair = .none,
      durability: Durability = .full,
      isReadOnly: Bool = false, retryDelay: Duration = .milliseconds(100),
      configuration: Store.Configuration = Store.Configuration(),
      progress: (@Sendable (StoreFile.Progress) -> Void)? = nil
    ) {
      self.key = key
      self.migrations = migrations
      self.repair = repair
      self.durability = durability
      self.isReadOnly = isReadOnly
      self.retryDelay = retryDelay
      self.configuration = configuration
      self.progress = progress
    }
  }
}
