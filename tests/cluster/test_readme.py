"""The chart's README tells all that a cluster's test types, and what is read of it is all of it."""

from tests.cluster.readme import README, read

PAGE = """# A chart
```sh
echo not under a heading
```
## Install
Values:

```yaml
kafka: {}
```
Then:

```sh
helm install pitwatch
```
### More
```sh
helm test pitwatch
```
```text
not typed
```
## Install again
```sh
first
```
and
```sh
second
```
"""


def test_blocks_are_read_by_their_heading() -> None:
    found = read(PAGE)
    assert found.values == {"Install": "kafka: {}\n"}
    assert found.commands == {
        "Install": "helm install pitwatch\n",
        "More": "helm test pitwatch\n",
        "Install again": "first\nsecond\n",
    }


def test_readme_has_a_command_for_each_step() -> None:
    commands = read(README.read_text(encoding="utf-8")).commands
    assert list(commands) == [
        "Install",
        "First finding",
        "Test",
        "Upgrade",
        "Roll back",
        "Add workers",
        "A floor in use",
        "Uninstall",
    ]
