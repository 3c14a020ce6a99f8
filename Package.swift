// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

/// Every target builds in Swift 6 mode, with the upcoming features the house relies on, and without warnings.
///
/// No unsafe flags: apps depend on the client's targets, and their builds decide on such flags themselves. What makes the
/// server faster is passed by the Makefile (`make build`).
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
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
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CLinux"),
        .target(name: "CTLS", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),

        // Pure modules: bytes and values in, values out.
        module("Calendars"),
        module("Containers"),
        module("Encodings"),
        module("Geography", ["Containers"]),
        module("HTTP", ["Calendars", "UnicodeText"]),
        module("RecordModel", ["Calendars", "Geography", "TextSearch", "UnicodeText"]),
        module("RecordWire", ["RecordModel", "Geography", "TextSearch", "UnicodeText", "Encodings"]),
        module("Pictures"),
        module("TextSearch", ["UnicodeText"]),
        module("UnicodeText"),

        // What touches the machine.
        module("Cryptography", ["Encodings", "CCrypto", "CCrypt"]),
        module("Compression", ["CZlib"]),
        module("Threads", ["CLinux"]),
        module("TLS", ["Threads", "CTLS"]),
        module("Sockets", ["Containers", "TLS", "Threads", "CLinux"]),
        module(
            "HTTPTransport",
            ["HTTP", "Sockets", "TLS", "Threads", "Compression", "Containers", "Cryptography", "CLinux"]),
        module("HTTPSending", ["HTTP", "Threads", "CCurl"]),

        module("Thumbnails", ["Threads", "CLinux"]),

        // The record database.
        module(
            "RecordStorage",
            ["RecordModel", "UnicodeText", "Encodings", "Threads", "Cryptography", "CSQLite", "CLinux"]),
        module(
            "RecordEngine",
            [
                "Calendars", "RecordModel", "RecordWire", "RecordStorage", "Geography", "TextSearch", "TextTables",
                "UnicodeText", "Encodings", "Containers", "Threads", "Cryptography", "Pictures", "Thumbnails",
            ]),
        module(
            "RecordAPI",
            [
                "HTTP", "RecordWire", "RecordEngine", "RecordModel", "UnicodeText", "Encodings", "Cryptography",
                "Compression", "Thumbnails", "Threads",
            ]),

        // Tables in text files: CSV and kin. Bytes in, record dictionaries out, and back.
        module("TextTables", ["Calendars", "Encodings", "RecordModel", "RecordWire", "UnicodeText"]),

        // What copies databases of CloudKit. It knows neither sockets nor files: the executable has them.
        module("CloudKitImport", ["Calendars", "Cryptography", "RecordWire"]),

        // What converts data sets of other servers into the file of a container.
        module(
            "ForeignImport",
            ["Cryptography", "Encodings", "RecordModel", "RecordStorage", "RecordWire", "UnicodeText"]),

        // What apps use. It shares with the server what a record is, and nothing of how one is kept.
        module("FogbaseClient", ["Geography", "RecordModel", "RecordWire", "Encodings"]),

        .executableTarget(
            name: "fogbase",
            dependencies: [
                "CloudKitImport", "ForeignImport", "HTTP", "HTTPSending", "HTTPTransport", "RecordAPI", "RecordEngine",
                "RecordModel", "RecordStorage", "RecordWire", "UnicodeText", "Encodings", "Cryptography", "Compression",
                "Threads", "Sockets", "TLS",
                "Thumbnails", "CLinux",
            ],
            exclude: ["function-order.txt"], swiftSettings: house),

        .target(
            name: "TestSupport", dependencies: ["CLinux", "Cryptography", "RecordModel", "RecordWire", "Threads"],
            path: "Tests/TestSupport",
            swiftSettings: house),
        .target(
            name: "StoreTestSupport", dependencies: ["RecordStorage", "RecordModel"], path: "Tests/StoreTestSupport",
            swiftSettings: house),
        // What `make bench` measures the reading of requests with.
        .executableTarget(
            name: "requestbench", dependencies: ["RecordModel", "RecordWire"], path: "Tests/bench/Requests",
            swiftSettings: house),
        // Measures how fast tables become records.
        .executableTarget(
            name: "tablebench", dependencies: ["Calendars", "RecordModel", "TextTables"], path: "Tests/bench/Tables",
            swiftSettings: house),
        // What `Tests/search` measures the cutting and finding of words with.
        .executableTarget(
            name: "searchbench", dependencies: ["TextSearch"], path: "Tests/search/Tool", swiftSettings: house),
        .target(
            name: "FuzzTargets",
            dependencies: ["Calendars", "HTTP", "RecordModel", "RecordWire", "Pictures", "Compression", "TextTables"],
            path: "Tests/FuzzTargets", swiftSettings: house),
        tests("FuzzTests", ["FuzzTargets"]),
        .testTarget(
            name: "HTTPTests", dependencies: ["HTTP", "FuzzTargets", "TestSupport"], exclude: ["Transcripts"],
            swiftSettings: house),
        tests("CalendarsTests", ["Calendars"]),
        tests("ContainersTests", ["Containers"]),
        tests("EncodingsTests", ["Encodings", "Cryptography"]),
        tests("GeographyTests", ["Geography"]),
        tests("ThreadsTests", ["Threads"]),
        tests("SocketsTests", ["Sockets", "Threads"]),
        tests("TLSTests", ["TLS", "Threads"]),
        tests("CompressionTests", ["Compression"]),
        tests("CryptographyTests", ["Cryptography", "Encodings"]),
        tests("HTTPSendingTests", ["HTTPSending", "HTTP", "Threads"]),
        tests("HTTPTransportTests", ["HTTPTransport", "HTTP", "Sockets", "TLS", "Threads", "Compression"]),
        .testTarget(
            name: "PicturesTests", dependencies: ["Pictures", "FuzzTargets", "TestSupport"], exclude: ["Samples"],
            swiftSettings: house),
        tests("ThumbnailsTests", ["Thumbnails", "Threads"]),
        .testTarget(
            name: "UnicodeTextTests", dependencies: ["UnicodeText", "Cryptography", "TestSupport"],
            exclude: ["make_tables.py"], swiftSettings: house),
        tests("TextSearchTests", ["TextSearch", "UnicodeText"]),
        tests("RecordModelTests", ["RecordModel", "Geography", "UnicodeText", "FuzzTargets"]),
        tests("RecordWireTests", ["RecordWire", "RecordModel", "Geography", "Encodings", "UnicodeText"]),
        tests(
            "RecordStorageTests",
            ["RecordStorage", "RecordWire", "RecordModel", "Cryptography", "Thumbnails", "CSQLite", "StoreTestSupport"]),
        .testTarget(
            name: "RecordEngineTests",
            dependencies: [
                "RecordEngine", "RecordStorage", "RecordWire", "RecordModel", "Geography", "TextSearch", "Encodings",
                "Threads", "Cryptography", "StoreTestSupport", "TestSupport",
            ],
            exclude: ["Upgrade"], swiftSettings: house),
        tests(
            "RecordAPITests",
            [
                "RecordAPI", "RecordEngine", "RecordStorage", "RecordWire", "RecordModel", "HTTP", "Encodings",
                "Cryptography", "CCrypto", "Compression", "Threads", "StoreTestSupport", "FuzzTargets",
            ]),
        tests("FogbaseClientTests", ["fogbase", "FogbaseClient", "RecordModel", "RecordWire"]),
        .testTarget(
            name: "TextTablesTests",
            dependencies: ["TextTables", "Calendars", "RecordModel", "RecordWire", "FuzzTargets", "TestSupport"],
            exclude: ["Samples"], swiftSettings: house),
        tests(
            "ForeignImportTests",
            ["ForeignImport", "Cryptography", "Encodings", "RecordModel", "RecordStorage", "RecordWire"]),
        tests("CloudKitImportTests", ["CloudKitImport", "Cryptography", "Encodings", "RecordWire", "Threads"]),
        tests(
            "FogbaseTests",
            [
                "fogbase", "CloudKitImport", "HTTP", "RecordAPI", "RecordStorage", "RecordWire", "Sockets", "TLS",
                "Threads",
            ]),
        tests("BlackBoxTests", ["fogbase", "Cryptography", "RecordWire", "Threads"]),
    ]
)

// What `make fuzz` runs needs libFuzzer, which is linked in only there.
if Context.environment["FOGBASE_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTargets", "CFuzzer"], path: "Tests/fuzz/Sources", swiftSettings: house),
    ]
}

/// The folder with the modules of swift-syntax that come with the toolchain, or nil where it has none.
///
/// A manifest is a program of its own and loads a library of the toolchain that runs it: from there it is two folders.
func swiftSyntaxFolder() -> String? {
    #if canImport(Darwin)
        let images = (0..<_dyld_image_count()).compactMap { _dyld_get_image_name($0) }.map { String(cString: $0) }
    #else
        let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
        let images = String(decoding: maps, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.firstIndex(of: "/").map { String(line[$0...]) }
        }
    #endif
    for image in images where image.contains("/pm/ManifestAPI/") {
        let host = image.components(separatedBy: "/pm/ManifestAPI/")[0] + "/host"
        let modules = ["SwiftSyntaxMacros", "SwiftCompilerPluginMessageHandling"].map { "\(host)/\($0).swiftmodule" }
        if modules.allSatisfy(FileManager.default.fileExists(atPath:)) { return host }
    }
    return nil
}

// `@RecordCodable` and its kin. No package has to be fetched for them: the compiler brings swift-syntax along. Where it
// does not, or FOGBASE_MACROS=off says so, the client is built without them.
if Context.environment["FOGBASE_MACROS"] != "off", let host = swiftSyntaxFolder() {
    let syntax = house + [.unsafeFlags(["-I", host])]
    let libraries: [LinkerSetting] = [.unsafeFlags(["-L", host, "-Xlinker", "-rpath", "-Xlinker", host])]
    package.targets += [
        .target(name: "FogbaseMacros", swiftSettings: syntax, linkerSettings: libraries),
        // The program alone: were it what the tests test, SwiftPM would build everything a second time for all tests.
        .macro(
            name: "FogbaseMacrosPlugin", dependencies: ["FogbaseMacros"], swiftSettings: syntax,
            linkerSettings: libraries),
        .testTarget(
            name: "FogbaseMacrosTests", dependencies: ["FogbaseMacros", "RecordModel"], swiftSettings: syntax,
            linkerSettings: libraries),
        // What `make bench` measures models with.
        .executableTarget(
            name: "modelbench", dependencies: ["FogbaseClient"], path: "Tests/bench/Models", swiftSettings: house),
    ]
    for target in package.targets where ["FogbaseClient", "FogbaseClientTests"].contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [.define("FOGBASE_MACROS")]
        if target.name == "FogbaseClient" { target.dependencies.append("FogbaseMacrosPlugin") }
    }
    // The example applications of the client, whose models the macros write. Tests compare the manual with them, and
    // `make examples` runs them.
    let examples = ["Calendar", "CleanUp", "Forum", "Goods", "TypedPosts"]
    package.targets.append(
        .target(name: "ExampleSupport", path: "Sources/Examples/ExampleSupport", swiftSettings: house))
    package.targets += examples.map { name in
        .executableTarget(
            name: "\(name)Example", dependencies: ["FogbaseClient", "ExampleSupport"],
            path: "Sources/Examples/\(name)", swiftSettings: house)
    }
    for target in package.targets where target.name == "FogbaseClientTests" {
        target.dependencies += examples.map { .target(name: "\($0)Example") }
    }
    // The same applications over CloudKit Web Services.
    package.targets.append(
        .executableTarget(
            name: "CloudKitExample", dependencies: ["ExampleSupport"], path: "Sources/Examples/CloudKit",
            swiftSettings: house))
}
