// swift-tools-version: 6.2
import PackageDescription

/// Every target builds in Swift 6 mode, with the upcoming features the house relies on, and without warnings.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    // The compiler's static checks stay; the dynamic ones, which debug builds and tests run, cost 3 % of a create.
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// A library module of the server. Arrows between modules go one way; `make lint` checks them against the imports.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: house)
}

let package = Package(
    name: "fogbase",
    // The server runs on Linux. The client runs there too, and wherever URLSession has async calls.
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "fogbase", targets: ["fogbase"]),
        .library(name: "FogbaseClient", targets: ["FogbaseClient"]),
    ],
    targets: [
        // System libraries, and the shims for what Swift cannot import from them.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),

        // Pure modules: bytes and values in, values out.
        module("HTTP"),
        module("RecordModel"),
        module("RecordWire", ["RecordModel"]),
        module("Pictures"),

        // What touches the machine.
        module("Cryptography", ["CCrypto"]),
        module("Compression", ["CZlib"]),
        module("Threads", ["CLinux"]),
        module("Sockets", ["Threads", "CLinux"]),
        module("HTTPTransport", ["HTTP", "Sockets", "Threads", "Compression", "CLinux"]),

        module("Thumbnails", ["Threads", "CLinux"]),

        // The record database.
        module("RecordStorage", ["RecordModel", "Threads", "Cryptography", "CSQLite", "CLinux"]),
        module(
            "RecordEngine",
            ["RecordModel", "RecordWire", "RecordStorage", "Threads", "Cryptography", "Pictures", "Thumbnails"]),
        module(
            "RecordAPI",
            ["HTTP", "RecordWire", "RecordEngine", "RecordModel", "Cryptography", "Thumbnails", "Threads"]),

        // What apps use. It shares with the server what a record is, and nothing of how one is kept.
        module("FogbaseClient", ["RecordModel", "RecordWire"]),

        .executableTarget(
            name: "fogbase",
            dependencies: [
                "HTTP", "HTTPTransport", "RecordAPI", "RecordEngine", "RecordModel", "RecordStorage", "RecordWire",
                "Cryptography", "Compression", "Threads", "Sockets", "Thumbnails", "CLinux",
            ],
            swiftSettings: house),

        .target(
            name: "TestSupport", dependencies: ["CLinux", "Cryptography"], path: "Tests/TestSupport",
            swiftSettings: house),
        .target(
            name: "FuzzTargets", dependencies: ["HTTP", "RecordModel", "RecordWire", "Pictures", "Compression"],
            path: "Tests/FuzzTargets", swiftSettings: house),
        tests("FuzzTests", ["FuzzTargets"]),
        .testTarget(
            name: "HTTPTests", dependencies: ["HTTP", "FuzzTargets", "TestSupport"], exclude: ["Transcripts"],
            swiftSettings: house),
        tests("ThreadsTests", ["Threads"]),
        tests("SocketsTests", ["Sockets", "Threads"]),
        tests("CompressionTests", ["Compression"]),
        tests("CryptographyTests", ["Cryptography"]),
        tests("HTTPTransportTests", ["HTTPTransport", "HTTP", "Sockets", "Threads", "Compression"]),
        .testTarget(
            name: "PicturesTests", dependencies: ["Pictures", "FuzzTargets", "TestSupport"], exclude: ["Samples"],
            swiftSettings: house),
        tests("ThumbnailsTests", ["Thumbnails", "Threads"]),
        tests("RecordModelTests", ["RecordModel", "FuzzTargets"]),
        tests("RecordWireTests", ["RecordWire", "RecordModel"]),
        tests("RecordStorageTests", ["RecordStorage", "RecordWire", "RecordModel", "Cryptography", "Thumbnails"]),
        tests(
            "RecordEngineTests",
            ["RecordEngine", "RecordStorage", "RecordWire", "RecordModel", "Threads", "Cryptography"]),
        tests(
            "RecordAPITests",
            ["RecordAPI", "RecordEngine", "RecordStorage", "RecordWire", "RecordModel", "HTTP", "Cryptography"]),
        tests("FogbaseClientTests", ["fogbase", "FogbaseClient", "RecordModel", "RecordWire"]),
        tests("FogbaseTests", ["fogbase", "RecordAPI", "RecordStorage", "Sockets"]),
        tests("BlackBoxTests", ["fogbase", "Cryptography", "RecordWire", "Threads"]),
    ]
)

// What `make fuzz` runs needs libFuzzer, which is linked in only there.
if Context.environment["FOGBASE_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTargets", "CFuzzer"], path: "Tests/Fuzz/Sources", swiftSettings: house),
    ]
}
