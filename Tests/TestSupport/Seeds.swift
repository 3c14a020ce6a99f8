import Foundation

/// The seeds of a test with random steps: a few by default, so that all tests take minutes. `FOGBASE_SEEDS=50` runs as
/// many of each such test.
///
/// - Parameter few: The default number.
package func seeds(_ few: Int) -> ClosedRange<Int> {
    let wanted = ProcessInfo.processInfo.environment["FOGBASE_SEEDS"].flatMap(Int.init) ?? few
    return 1...max(1, wanted)
}
