"""No public type of the libraries has the name of one that people use in the same file: of Swift, Foundation,
Observation, SwiftUI or Combine. Such a name is ambiguous in every file that imports both.

    python3 Scripts/check-names.py
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TAKEN = {
    "Swift": """Actor AnyHashable AnyKeyPath AnyObject Array ArraySlice AsyncSequence AsyncStream Bool Character Clock
        Codable CodingKey CollectionDifference Collection Comparable Decoder Dictionary Double Duration Encoder Equatable
        Error Executor Float Hashable Hasher Identifiable Index Int Instant KeyPath Mirror Optional Range Result Sendable
        Sequence Set SetAlgebra Slice Strideable String Substring Task TaskGroup Unicode""",
    "Foundation": """Bundle Calendar Data Date DateComponents DateInterval Decimal Dimension Expression FileManager
        Formatter Host IndexPath IndexSet Locale Measurement Morphology Notification NotificationCenter Operation
        OperationQueue Predicate PredicateExpressions Process Progress RunLoop Scanner SortComparator SortDescriptor
        SortOrder Stream Thread TimeZone Timer URL UUID Unit UndoManager UserDefaults""",
    "Observation": "Observable ObservationIgnored ObservationRegistrar ObservationTracked Observations",
    "Combine": """AnyCancellable AnyPublisher Cancellable ConnectablePublisher CurrentValueSubject Deferred Empty Fail
        Future Just ObservableObject PassthroughSubject Published Publisher Publishers Record Scheduler Subject Subscriber
        Subscribers Subscription""",
    "SwiftUI": """Alert Alignment Anchor Angle Animatable Animation App AppStorage Axis Binding Bindable BlendMode Button
        Canvas Capsule Circle Color ColorScheme Commands ContentMode ControlGroup DatePicker DisclosureGroup Divider Edge
        EditMode Entry Environment EnvironmentKey EnvironmentObject EnvironmentValues FetchRequest FetchedResults FocusState
        FocusedValue Font ForEach Form Gauge Gesture GestureState Gradient Grid GridRow Group GroupBox HStack Image Label
        LabeledContent Layout LayoutValueKey Link List LocalizedStringKey Material Menu Namespace NavigationLink
        NavigationPath NavigationSplitView NavigationStack ObservedObject OutlineGroup Path Picker PreferenceKey Preview
        ProgressView ProposedViewSize Rectangle RedactionReasons Scene ScenePhase SceneStorage ScrollView
        SectionedFetchResults Section SecureField Settings Shape ShareLink Slider Spacer State StateObject Stepper Subview
        Tab Table TableColumn TableRow TabView Text TextField TimelineView Toggle Toolbar ToolbarItem Transaction Transition
        Transferable UnitPoint VStack View ViewBuilder ViewModifier Visibility Window WindowGroup ZStack""",
}
owners = {name: module for module, names in TAKEN.items() for name in names.split()}
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? )*public (?:final |indirect )*(?:struct|class|enum|protocol|actor|typealias) (\w+)")
problems, count = [], 0
for path in sorted((ROOT / "Sources").rglob("*.swift")) + sorted((ROOT / "Integrations").glob("*/Sources/**/*.swift")):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := DECLARATION.match(line):
            count += 1
            if match[1] in owners:
                problems.append(f"{path.relative_to(ROOT)}:{number}: {match[1]} is the name of a type of {owners[match[1]]}")
if count < 80:
    problems.append(f"only {count} public types were found")
if problems:
    sys.exit("\n".join(problems))
print(f"{count} public types")
