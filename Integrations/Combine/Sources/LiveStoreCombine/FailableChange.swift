public import LiveStore

/// An event of an observer that may be its last one, an error.
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

extension SourcesChange: FailableChange {
  /// The error, if this is one.
  public var failure: StoreError? { if case .error(let error) = self { error } else { nil } }
}
