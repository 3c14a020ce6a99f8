/// The exit code of the process; 64 and 78 follow `sysexits.h`.
enum ExitCode: Int32 {
    case success = 0
    case failure = 1
    /// The command line is invalid.
    case usage = 64
    /// A setting in a file or the environment is invalid.
    case configuration = 78
    /// A signal ended the command: 128 plus the number of SIGINT.
    case interrupted = 130
}

/// The reason why a command ends early. Each sentence is printed on its own line for the operator.
struct Failure: Error, Hashable {
    var sentences: [String]
    var code: ExitCode

    init(_ sentence: String, code: ExitCode = .failure) {
        sentences = [sentence]
        self.code = code
    }

    init(_ sentences: [String], code: ExitCode) {
        self.sentences = sentences
        self.code = code
    }

    /// Creates a failure for an invalid command line.
    static func usage(_ sentence: String) -> Failure {
        Failure(sentence, code: .usage)
    }
}
