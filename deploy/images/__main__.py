"""`make images`: build both images, and save them as archives for machines without a registry."""

import sys
from pathlib import Path

import click

from deploy.images.build import BUILD, build
from deploy.images.engine import EngineFault, engine
from deploy.local.lock import JarFault


@click.command()
@click.option(
    "--base",
    help="The image with Python 3.11 to build on.  [default: made of Debian's packages]",
)
@click.option(
    "--wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with all wheels, Pitwatch's too; nothing is fetched then.",
)
@click.option("--anew", is_flag=True, help="Make the base with Debian's packages of today.")
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    default=BUILD / "images",
    show_default="build/images",
    help="Where the archives go, as `docker load` and `ctr images import` take them.",
)
def main(base: str | None, wheels: Path | None, save: Path, *, anew: bool) -> None:
    """Build the images pitwatch and pitwatch-kafka, and save each as an archive."""
    try:
        with engine() as one:
            images = build(one, base, wheels=wheels, anew=anew)
            save.mkdir(parents=True, exist_ok=True)
            for image in (images.pitwatch, images.kafka):
                archive = save / f"{image.partition(':')[0]}.tar"
                one.run("save", "--output", archive, image)
                sys.stdout.write(f"{image}  {archive}\n")
    except (EngineFault, JarFault) as fault:
        raise click.ClickException(str(fault)) from fault


if __name__ == "__main__":
    main(prog_name="python -m deploy.images")
