/// What the process ends with; 64 and 78 follow `sysexits.h`.
enum ExitCode: Int32 {
    case success = 0
    case failure = 1
    /// The command line is wrong.
    case usage = 64
    /// A setting in a file or the environment is wrong.
    case configuration = 78
    /// A signal has ended the command: 128 and the number of SIGINT.
    case interrupted = 130
}

/// Why a command ends early: sentences for the operator, each on a line of its own.
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

    /// A mistake on the command line.
    static func usage(_ sentence: String) -> Failure {
        Failure(sentence, code: .usage)
    }
}
