import Foundation

/// The seeds of a test with random steps: a few by default, so that all tests take minutes. `make thorough` runs more.
///
/// - Parameter few: The default number.
package func seeds(_ few: Int) -> ClosedRange<Int> {
    1...max(1, wantedSeeds ?? few)
}

/// The distance between two tested cases of a table that is too large for each run of all tests: 1 in `make thorough`.
///
/// - Parameter few: The default distance.
package func caseStride(_ few: Int) -> Int {
    wantedSeeds == nil ? few : 1
}

private let wantedSeeds = ProcessInfo.processInfo.environment["FOGBASE_SEEDS"].flatMap(Int.init)
