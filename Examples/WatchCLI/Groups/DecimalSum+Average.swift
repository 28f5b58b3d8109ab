extension DecimalSum {
  /// The sum divided by how many numbers it is of, rounded once; nil if it is of none.
  ///
  /// - Complexity: O(digits of the sum)
  package var average: Double? {
    if count == 0 { return nil }
    // A long division, with so many more digits that the next one decides no rounding.
    var (quotient, rest, hasPoint) = ("", 0, false)
    func divide(_ digit: Int) {
      rest = rest * 10 + digit
      quotient += "\(rest / count)"
      rest %= count
    }
    for scalar in description.unicodeScalars {
      if scalar == "." { hasPoint = true }
      if scalar == "." || scalar == "-" {
        quotient.unicodeScalars.append(scalar)
      } else {
        divide(Int(scalar.value) - 0x30)
      }
    }
    if !hasPoint { quotient += "." }
    for _ in 0..<40 { divide(0) }
    return Double(quotient)
  }
}
