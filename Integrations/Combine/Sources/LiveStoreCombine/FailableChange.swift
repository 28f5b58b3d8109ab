public import LiveStore

/// What an observer is told that may be the error after which nothing comes.
///
/// A publisher fails with that error in place of giving it as an output.
public protocol FailableChange: Sendable {
  /// The error, if this is one.
  var failure: StoreError? { get }
}

extension CollectionChange: FailableChange {
  /// The error, if this is one.
  public var failure: StoreError? { if case .error(let error) = self { error } else { nil } }
}

extension ObjectChange: FailableChange {
  /// The error, if this is one.
  public var failure: StoreError? { if case .error(let error) = self { error } else { nil } }
}

extension ValueChange: FailableChange {
  /// The error, if this is one.
  public var failure: StoreError? { if case .error(let error) = self { error } else { nil } }
}

extension SectionedChange: FailableChange {
  /// The error, if this is one.
  public var failure: StoreError? { if case .error(let error) = self { error } else { nil } }
}

extension GroupChange: FailableChange {
  /// The error, if this is one.
  public var failure: StoreError? { if case .error(let error) = self { error } else { nil } }
}
