enum ServeCommand {
    static func run(_ configuration: Configuration) throws(Failure) -> ExitCode { .success }
}
