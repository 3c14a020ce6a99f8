import Foundation
import Synchronization

/// Directories that tests share, and whose last user is unknown.
package enum Leftovers {
    private static let directories = Mutex<[String]>([])

    /// Removes a directory when the process ends.
    package static func remove(atExit directory: String) {
        let isFirst = directories.withLock { directories in
            directories.append(directory)
            return directories.count == 1
        }
        guard isFirst else { return }
        atexit {
            for directory in Leftovers.directories.withLock({ $0 }) {
                try? FileManager.default.removeItem(atPath: directory)
            }
        }
    }
}
