/// ``Faults``, ``RequestLog`` and ``RequestRecord`` belong to the server's face, and are shared with other servers.
@_exported public import DemoHTTP
