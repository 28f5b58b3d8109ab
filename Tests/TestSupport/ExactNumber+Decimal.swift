package import Foundation

extension ExactNumber {
  /// A decimal.
  package init(_ value: Decimal) {
    if value.isNaN { self.init(floating: Double.nan) } else { self.init(text: "\(value)") }
  }
}
