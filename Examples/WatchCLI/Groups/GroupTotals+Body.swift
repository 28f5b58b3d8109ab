import LiveStore

extension GroupTotals {
  /// The values of a group as they are shown: the beginning of its window in the place of the window's number.
  func shownKey(of group: Group) -> [JSONValue] {
    guard options.splitsByWindow, let every = options.every else { return group.key }
    return [title(of: group.key[0], every)] + group.key.dropFirst()
  }

  /// A group as an object.
  func body(_ group: Group, _ key: [JSONValue], _ totals: [PathTotals]) -> JSONValue {
    var values = key
    if options.showsTrend, let every = options.every {
      values.insert(title(of: JSONValue(windows.newest ?? 0), every), at: 0)
    }
    if options.hasCount { values.append(JSONValue(group.count)) }
    if let every = options.every { values.append(JSONValue(Double(group.count) / every.seconds)) }
    for (total, index) in zip(options.totals, totalPaths) {
      values.append(totals[index].value(of: total.kind))
    }
    if options.showsTrend { values.append(.array(group.trend.map { JSONValue($0) })) }
    return .object(JSONObject(zip(titles, values).map { (key: $0, value: $1) }))
  }

  private func title(of window: JSONValue, _ every: GroupWindow) -> JSONValue {
    guard case .number(let number) = window, let number = number.integer else { return .null }
    return every.title(of: number)
  }
}
