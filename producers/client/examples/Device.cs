// A device in C#, for any .NET from Framework 4.6.1 on and for Mono: events on standard input, a
// JSON object a line, with "kind" first and that kind's fields. It does what producers/client does,
// with a file an event: boot on disk, at most 64 lines a request, nothing forgotten without an
// answer, nothing reordered.
//
//   GATEWAY=https://gateway:7301 TABLE=CS-01 SOURCE=shoe FOLDER=shoe Device.exe < events
//
// TOKEN_FILE names a file with the device's token.
using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading;

public sealed class Device : IDisposable
{
    const int MostLines = 64;
    const int MostWaiting = 100000;
    const int LongestLine = 16384;
    static readonly TimeSpan LeastPause = TimeSpan.FromSeconds(0.2);
    static readonly TimeSpan MostPause = TimeSpan.FromSeconds(30);
    static readonly Encoding Utf8 = new UTF8Encoding(false);

    readonly string table, source, folder, queue, tokenFile;
    readonly Uri events;
    readonly long boot;
    readonly FileStream held;
    readonly HttpClient client;
    readonly object recording = new object();
    readonly AutoResetEvent recorded = new AutoResetEvent(false);
    long seq;

    public Device(string gateway, string table, string source, string folder, string tokenFile)
    {
        this.table = table;
        this.source = source;
        this.folder = folder;
        this.tokenFile = tokenFile;
        events = new Uri(gateway.TrimEnd('/') + "/v1/events");
        queue = Path.Combine(folder, "queue");
        Directory.CreateDirectory(queue);
        // Two processes in one folder would give two events one identity.
        held = new FileStream(Path.Combine(folder, "lock"), FileMode.OpenOrCreate,
            FileAccess.ReadWrite, FileShare.None);
        boot = NextBoot();
        // With a certificate of the device's own: handler.ClientCertificates.Add(...).
        var handler = new HttpClientHandler { AllowAutoRedirect = false, UseProxy = false };
        client = new HttpClient(handler) { Timeout = TimeSpan.FromSeconds(70) };
        client.DefaultRequestHeaders.ExpectContinue = false;
    }

    // The boot is higher than all before it: by the file, and where that is lost by the clock.
    long NextBoot()
    {
        string path = Path.Combine(folder, "boot");
        long last = 0;
        if (File.Exists(path) && !long.TryParse(File.ReadAllText(path), out last)) last = 0;
        long next = Math.Max(last + 1, DateTimeOffset.UtcNow.ToUnixTimeSeconds());
        Write(path, next.ToString());
        return next;
    }

    // Put a text in a file, whole or not at all, and on the disk.
    static void Write(string path, string text)
    {
        byte[] data = Utf8.GetBytes(text + "\n");
        using (var file = new FileStream(path + ".new", FileMode.Create))
        {
            file.Write(data, 0, data.Length);
            file.Flush(true);
        }
        if (File.Exists(path)) File.Replace(path + ".new", path, null);
        else File.Move(path + ".new", path);
    }

    // Put an event on the disk. Its number is used up though it is dropped: the judge sees the gap.
    public void Record(string fields)
    {
        lock (recording)
        {
            seq++;
            string at = DateTime.UtcNow.ToString("yyyy-MM-ddTHH:mm:ss.ffffff") + "Z";
            string line = "{\"table\":\"" + table + "\",\"source\":\"" + source + "\",\"boot\":" + boot
                + ",\"seq\":" + seq + ",\"at\":\"" + at + "\"," + fields.TrimStart().Substring(1);
            if (Utf8.GetByteCount(line) > LongestLine) Drop("too_long", line);
            else if (Waiting().Length >= MostWaiting) Drop("queue_full", line);
            else Write(Path.Combine(queue, boot.ToString("D16") + "-" + seq.ToString("D16")), line);
        }
        recorded.Set();
    }

    string[] Waiting()
    {
        string[] names = Directory.GetFiles(queue).Where(name => !name.EndsWith(".new")).ToArray();
        Array.Sort(names, StringComparer.Ordinal);
        return names;
    }

    void Drop(string reason, string line)
    {
        File.AppendAllText(Path.Combine(folder, "dropped"), reason + " " + line.TrimEnd() + "\n", Utf8);
        Console.Error.WriteLine("dropped: " + reason);
    }

    // Send what is on the disk, oldest first, until the device ends and all has its answer.
    public void Send(Func<bool> ended)
    {
        TimeSpan pause = LeastPause;
        int most = MostLines;
        while (true)
        {
            bool last = ended();
            string[] files = Waiting().Take(most).ToArray();
            if (files.Length == 0)
            {
                if (last) return;
                recorded.WaitOne(TimeSpan.FromSeconds(1));
                continue;
            }
            byte[] body = files.SelectMany(File.ReadAllBytes).ToArray();
            int status = 0;
            TimeSpan? wait = null;
            string answer = "";
            try
            {
                Post(body, out status, out wait, out answer);
            }
            catch (Exception error)
            {
                // No answer came: whether the gateway has the lines is not known.
                Console.Error.WriteLine("waiting: " + error.GetBaseException().Message);
            }
            if ((status == 202 || status == 400) && answer.Contains("\"accepted\":"))
            {
                if (status == 400) // refused lines are never sent again unchanged
                {
                    string said = Utf8.GetString(body) + answer + "\n";
                    File.AppendAllText(Path.Combine(folder, "refused"), said, Utf8);
                    Console.Error.WriteLine("refused: " + answer);
                }
                foreach (string file in files) File.Delete(file);
                pause = LeastPause;
                most = MostLines;
            }
            else if (status == 413 && files.Length > 1)
            {
                most = files.Length / 2;
            }
            else if (status == 413)
            {
                Drop("too_long", Utf8.GetString(body));
                File.Delete(files[0]);
                most = MostLines;
            }
            else if (status == 0 || status == 408 || status == 429 || status >= 500)
            {
                // To come back in no time would be for ever.
                Thread.Sleep(wait.HasValue && wait > TimeSpan.Zero ? wait.Value : pause);
                pause = pause + pause < MostPause ? pause + pause : MostPause;
            }
            else
            {
                // 401, 403: the gateway does not know this device; else the address is wrong.
                Console.Error.WriteLine("waiting: status " + status);
                Thread.Sleep(MostPause);
            }
        }
    }

    void Post(byte[] body, out int status, out TimeSpan? wait, out string answer)
    {
        using (var request = new HttpRequestMessage(HttpMethod.Post, events))
        {
            request.Content = new ByteArrayContent(body);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/x-ndjson");
            if (!string.IsNullOrEmpty(tokenFile))
            {
                string token = File.ReadAllText(tokenFile).Trim();
                request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
            }
            using (HttpResponseMessage response = client.SendAsync(request).GetAwaiter().GetResult())
            {
                status = (int)response.StatusCode;
                wait = response.Headers.RetryAfter == null ? null : response.Headers.RetryAfter.Delta;
                answer = response.Content.ReadAsStringAsync().GetAwaiter().GetResult();
            }
        }
    }

    public void Dispose()
    {
        client.Dispose();
        held.Dispose();
    }

    public static void Main()
    {
        Func<string, string> told = Environment.GetEnvironmentVariable;
        using (var device = new Device(told("GATEWAY"), told("TABLE"), told("SOURCE"), told("FOLDER"),
            told("TOKEN_FILE")))
        {
            bool ended = false;
            var sender = new Thread(() => device.Send(() => Volatile.Read(ref ended)));
            sender.Start();
            using (var input = new StreamReader(Console.OpenStandardInput(), Utf8))
            {
                string fields;
                while ((fields = input.ReadLine()) != null)
                {
                    if (fields.Trim().Length > 0) device.Record(fields);
                }
            }
            Volatile.Write(ref ended, true);
            sender.Join();
        }
    }
}
