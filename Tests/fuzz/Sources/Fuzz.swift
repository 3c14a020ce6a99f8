import CFuzzer
import FuzzTargets
import Glibc

/// Runs libFuzzer, with its own arguments, on the reader that `FOGBASE_FUZZ_TARGET` names: libFuzzer starts itself again for
/// some of its work, and knows nothing of arguments of ours.
@main enum Fuzz {
    /// `nil` is the canary.
    private static let target: FuzzTarget? = {
        let name = getenv("FOGBASE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
        if name == "canary" { return nil }
        guard let target = FuzzTarget(rawValue: name) else {
            fatalError("FOGBASE_FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return target
    }()

    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, run))
    }

    /// Runs an input, and ends the process if it finds a problem.
    private static let run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt = { start, count in
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        guard let target else {
            Canary.read(bytes)
            return 0
        }
        if let objection = target.objection(bytes) { fatalError(objection) }
        return 0
    }
}
